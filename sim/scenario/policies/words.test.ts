/** Words, maps and titles: what each comes to, and that they are one thing. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Backoff, Jitter } from '../../policies/backoff.ts'
import type { AfterError, Policy, PollPolicy, SinglePolicy, Step } from '../../policies/policy.ts'
import { NO_RETRY } from './backoff.ts'
import { wordOf } from './mechanism.ts'
import { policyFrom } from './policies.suite.ts'
import { titleOf } from './title.ts'

describe('the canonical word', () => {
  test.each([
    // Defaults and spellings.
    ['poll', 'poll:5s'],
    ['poll:7000ms', 'poll:7s'],
    ['poll:1m', 'poll:60s'],
    ['poll:300s', 'poll:5m'],
    ['poll:7s,first=7s', 'poll:7s,first=after'],
    ['poll:7s,first=0,waitFrom=response', 'poll:7s'],
    ['poll:5s,hint=interval,scope=task', 'poll:5s,hint=interval'],
    ['poll:1000/h', 'poll:3.6s'],
    ['poll:7/s', 'poll:7/s'],
    ['poll:0..30m', 'poll:0..30m'],
    ['poll:1s/1s/5s', 'poll:1s*2/5s'],
    ['stream:reconnect=none', 'stream'],
    ['stream:heartbeat=none', 'stream:heartbeat=none'],
    ['stream:heartbeat=15s,reconnect=1s', 'stream:reconnect=1s,heartbeat=15s'],
    ['stream:reconnect=1s,retryAfter.jitter=+-25%', 'stream:reconnect=1s,retryAfter.jitter=±25%'],
    ['push:retry.attempts=4,retry=5s', 'push:retry=5s,retry.attempts=4'],
    // Library policies keep their names; what they say already is left out.
    ['poll:@smithy-js', 'poll:@smithy-js'],
    ['poll:@aws/ec2.InstanceRunning,interval=15s', 'poll:@aws/ec2.InstanceRunning'],
    ['poll:@aws/ec2.InstanceRunning,interval=5s', 'poll:@aws/ec2.InstanceRunning,interval=5s'],
    ['stream:reconnect=@chromium,heartbeat=15s', 'stream:reconnect=@chromium,heartbeat=15s'],
    ['stream:reconnect.jitter=full,reconnect=@chromium', 'stream:reconnect=@chromium,reconnect.jitter=full'],
    ['stream:reconnect=@chromium,reconnect.interval=3s', 'stream:reconnect=@chromium'],
    ['push:retry=@standard-webhooks+poll:60s', 'push:retry=@standard-webhooks+poll:60s'],
    // A new way of waiting is written whole, else the library's cap would be lost.
    ['poll:@smithy-js,initial=1s,max=120s', 'poll:@smithy-js,initial=1s,multiplier=2,max=2m'],
    // Combinations.
    ['stream:reconnect=3s,else=poll:30s', 'stream:reconnect=3s>poll:30s'],
    ['push:with=poll:60s', 'push+poll:60s'],
    ['stream:else=push,else=poll:30s', 'stream>push>poll:30s'],
    ['stream:recover=5m>poll:30s', 'stream:recover=5m>poll:30s'],
    ['blocking', 'blocking'],
    ['blocking:30s', 'blocking:30s'],
    ['blocking:30s>poll:5s', 'blocking:30s'],
    ['blocking:30s>poll:7s', 'blocking:30s>poll:7s'],
    ['blocking:@replicate-block', 'blocking:@replicate-block'],
    ['blocking:@replicate-block>poll:1s', 'blocking:@replicate-block>poll:1s'],
  ])('of %s is %s', (text, word) => {
    expect(policyFrom(text).word).toBe(word)
    expect(policyFrom(word)).toEqual(policyFrom(text))
  })
})

test.each([
  ['poll:7s,first=after', '{ poll: { interval: 7s, first: after } }'],
  ['poll:1s/5s', '{ poll: [1s, 5s] }'],
  ['poll:@smithy-js,max=60s', '{ poll: { use: smithy-js, max: 1m } }'],
  ['stream:reconnect=3s,reconnect.jitter=full', '{ stream: { reconnect: { interval: 3s, jitter: full } } }'],
  ['stream:reconnect=3s>poll:30s', '{ stream: { reconnect: 3s, else: poll:30s } }'],
  ['push+poll:60s', '{ push: { with: { poll: 60s } } }'],
  ['stream>poll:30s+push', '{ stream: { else: poll:30s, with: push } }'],
  ['push:retry=5s/5m', '{ push: { retry: [5s, 5m] } }'],
  ['poll:slowDown=+5s,on429=1s', '{ poll: { slowDown: { add: 5s }, on429: { interval: 1s } } }'],
  ['blocking:45s>poll:30s,hint=interval', '{ blocking: { hold: 45s, else: "poll:30s,hint=interval" } }'],
])('%s is %s', (word, map) => {
  expect(policyFrom(map)).toEqual(policyFrom(word))
})

describe('what a library policy says is changed by the keys after it', () => {
  const poll = (text: string) => policyFrom(text).policy as PollPolicy

  test('other keys stay', () => {
    expect(poll('poll:@aws/ec2.InstanceRunning,interval=5s')).toMatchObject({
      waits: { of: 'interval', interval: { us: 5_000_000 } },
      attempts: 40,
    })
  })

  test('a way of waiting replaces the other whole', () => {
    expect(poll('poll:@smithy-js,interval=5s')).toMatchObject({ waits: { of: 'interval' }, maxUs: undefined })
    expect(poll('poll:@smithy-js,initial=1s').waits).toEqual({
      of: 'growing',
      initialUs: 1_000_000,
      multiplier: 2,
      maxUs: undefined,
    })
  })

  test('a bound alone is no new way', () => {
    expect(poll('poll:@smithy-js,max=60s').waits).toMatchObject({ of: 'growing', maxUs: 60_000_000 })
  })

  test('the timeout of a schedule is that of its posts, unless the policy says another', () => {
    expect(policyFrom('push:retry=@slack-events').policy).toMatchObject({
      sending: { timeoutUs: 3_000_000, retry: { timeoutUs: undefined, attempts: undefined } },
    })
    expect(policyFrom('push:retry=@slack-events,timeout=1s').policy).toMatchObject({
      sending: { timeoutUs: 1_000_000 },
    })
  })

  test('retries that do not say how to wait change those of the agent', () => {
    expect(policyFrom('push:retry.attempts=7').policy).toMatchObject({
      sending: { retry: { waits: { of: 'growing', initialUs: 1_000_000, multiplier: 2 }, attempts: 7 } },
    })
  })
})

test.each([
  ['poll:7s', 'poll every 7 s'],
  ['poll:7s,first=after', 'poll every 7 s, first after 7 s'],
  ['poll:initial=500ms,multiplier=1.5,max=30s,jitter=full', 'poll 500 ms x 1.5 up to 30 s, jitter full'],
  ['poll:@aws/ec2.InstanceRunning', 'poll every 15 s, 40 polls at most'],
  ['poll:@pyfirecrest', 'poll after 1 s, 500 ms, then every 250 ms'],
  ['poll:0s,hold=30s', 'poll again at once, hold 30 s'],
  ['poll:5s,hint=floor', 'poll every 5 s, hint floor'],
  ['stream', 'stream (SSE)'],
  ['stream:reconnect=3s', 'stream (SSE), reconnect after 3 s'],
  ['stream:reconnect=@chromium,heartbeat=15s', 'stream (SSE), reconnect after 3 s, heartbeat every 15 s'],
  ['push', 'push (webhooks)'],
  ['push:get=final', 'push (webhooks), then GetTask'],
  ['push:retry=none', 'push (webhooks), no retry'],
  [
    'push:retry=@standard-webhooks',
    'push (webhooks), retry after 5 s, 5 min, 30 min … 1 d (9 times), timeout 15 s',
  ],
  ['blocking:30s', 'blocking send, held up to 30 s then poll every 5 s'],
  ['stream:reconnect=3s>poll:30s', 'stream (SSE), reconnect after 3 s then poll every 30 s'],
  ['push+poll:60s', 'push (webhooks) beside poll every 1 min'],
])('%s is called "%s"', (word, title) => {
  expect(titleOf(policyFrom(word).policy)).toBe(title)
})

const us = fc.integer({ min: 1, max: 86_400_000_000 })
const jitter: fc.Arbitrary<Jitter> = fc.oneof(
  fc.constantFrom(
    { of: 'none' as const },
    { of: 'full' as const },
    { of: 'equal' as const },
    { of: 'decorrelated' as const },
    { of: 'uniform-growth' as const },
  ),
  fc
    .record({ percent: fc.integer({ min: 1, max: 100 }), sides: fc.constantFrom('+', '-', '±') })
    .map(({ percent, sides }) => ({
      of: 'stretch' as const,
      less: sides === '+' ? 0 : percent / 100,
      more: sides === '-' ? 0 : percent / 100,
    })),
)
const interval = fc.oneof(
  us.map((each) => ({ of: 'fixed' as const, us: each })),
  fc
    .tuple(us, us)
    .map(([a, b]) => ({ of: 'uniform' as const, fromUs: Math.min(a, b), toUs: Math.max(a, b) + 1 })),
  us.map((meanUs) => ({ of: 'exponential' as const, meanUs })),
)
const growing = fc
  .record({
    initialUs: us,
    multiplier: fc.constantFrom(1, 1.3, 1.5, 2),
    above: fc.option(us, { nil: undefined }),
  })
  .map(({ initialUs, multiplier, above }) => ({
    of: 'growing' as const,
    initialUs,
    multiplier,
    maxUs: above === undefined ? undefined : initialUs + above,
  }))
const delaysUs = fc.array(fc.oneof(us, fc.constantFrom(0, 1_000_000)), { minLength: 1, maxLength: 6 })
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined })
const some = fc.integer({ min: 2, max: 50 })

const backoff: fc.Arbitrary<Backoff> = fc
  .record({
    waits: fc.oneof(
      interval.map((each) => ({ of: 'interval' as const, interval: each })),
      growing,
      delaysUs.map((list) => ({ of: 'list' as const, delaysUs: list, last: 'ends' as const })),
    ),
    jitter,
    attempts: maybe(some),
    budgetUs: maybe(us),
    resetAfterUs: maybe(us),
    timeoutUs: maybe(us),
  })
  .map((it) =>
    it.waits.of === 'list' && it.attempts !== undefined
      ? { ...it, waits: { ...it.waits, last: 'repeats' as const } }
      : it,
  )
const afterError: fc.Arbitrary<AfterError> = fc.oneof(
  fc.constantFrom('next' as const, 'fail' as const),
  backoff,
)
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.constantFrom(0.5, 1.4, 2).map((factor) => ({ of: 'times' as const, factor })),
  us.map((by) => ({ of: 'plus' as const, us: by })),
  us.map((by) => ({ of: 'plus' as const, us: -by })),
  us.map((to) => ({ of: 'set' as const, us: to })),
  fc.constant({ of: 'reset' as const }),
)
const retryAfter = fc.oneof(
  fc.constantFrom('honour' as const, 'ignore' as const),
  fc.record({ jitter, maxUs: us }),
)

const poll: fc.Arbitrary<PollPolicy> = fc
  .record({
    kind: fc.constant('poll' as const),
    waits: fc.oneof(
      interval.map((each) => ({ of: 'interval' as const, interval: each })),
      growing,
      delaysUs.map((list) => ({ of: 'list' as const, delaysUs: list, last: 'repeats' as const })),
    ),
    jitter,
    first: fc.oneof(fc.constantFrom('now', 'after', 'hint', 'random'), interval) as fc.Arbitrary<
      PollPolicy['first']
    >,
    waitFrom: fc.constantFrom('response' as const, 'request' as const),
    minUs: fc.constant(undefined),
    maxUs: maybe(us),
    attempts: maybe(some),
    budgetUs: us.map((budget): number | undefined => budget),
    lastLookUs: maybe(us),
    hint: fc.constantFrom('ignore' as const, 'interval' as const, 'floor' as const, 'cap' as const),
    margin: fc.constantFrom(1, 1.2, 2),
    retryAfter,
    slowDown: fc.oneof(
      fc.constant('ignore' as const),
      fc.record({ addUs: us, multiply: fc.constantFrom(1, 1.4), giveUpAt: maybe(some) }),
    ),
    on429: afterError,
    onError: afterError,
    adapt: maybe(fc.record({ news: step, quiet: step, minUs: maybe(us), maxUs: maybe(us) })),
    conditional: fc.boolean(),
    hold: maybe(backoff),
    timeoutUs: maybe(us),
    scope: fc.constantFrom('task' as const, 'client' as const, 'process' as const),
    concurrency: maybe(some),
    batch: maybe(some),
  })
  // The cap of growing waits and the bound of all waits are one key.
  .map((it) => ({ ...it, maxUs: it.waits.of === 'growing' ? it.waits.maxUs : it.maxUs }))

const single: fc.Arbitrary<SinglePolicy> = fc.oneof(
  poll,
  fc.record({
    kind: fc.constant('stream' as const),
    heartbeat: fc.oneof(
      fc.constantFrom(undefined, 'none' as const),
      fc.record({
        everyUs: us,
        octets: fc.integer({ min: 3, max: 900 }),
        when: fc.constantFrom('always' as const, 'silent' as const),
      }),
    ),
    watchdogUs: maybe(us),
    reconnect: maybe(backoff),
    retryAfter,
    retryHint: fc.constantFrom('honour' as const, 'ignore' as const),
    resume: fc.constantFrom('snapshot' as const, 'cursor' as const, 'live' as const),
    cleanClose: fc.constantFrom('reconnect' as const, 'finish' as const),
    timeoutUs: maybe(us),
  }),
  fc.record({
    kind: fc.constant('push' as const),
    sending: fc.record(
      {
        retry: fc.oneof(
          fc.constant(NO_RETRY),
          backoff.map((it) => ({ ...it, timeoutUs: undefined })),
        ),
        timeoutUs: us,
        events: fc.constantFrom(
          'all' as const,
          'status' as const,
          'pauses-and-final' as const,
          'final' as const,
        ),
        ordered: fc.boolean(),
        giveUp: fc.constantFrom('drop' as const, 'remove' as const),
        disableAfter: some,
        signature: fc.constantFrom('token' as const, 'none' as const),
      },
      { requiredKeys: [] },
    ),
    get: fc.constantFrom('never' as const, 'final' as const, 'each' as const),
    register: fc.constantFrom('with-send' as const, 'after-reply' as const),
  }),
  // One that is held for a time has a fallback, so that it is no single policy.
  fc.record({
    kind: fc.constant('blocking' as const),
    holdUs: fc.constant(undefined),
    timeoutUs: maybe(us),
    onError: afterError,
  }),
)
const chain = fc.record({
  kind: fc.constant('chain' as const),
  links: fc.array(single, { minLength: 2, maxLength: 3 }),
  recoverUs: maybe(us),
})
const policy: fc.Arbitrary<Policy> = fc.oneof(
  single,
  chain,
  fc.record({
    kind: fc.constant('together' as const),
    parts: fc.array(fc.oneof(single, chain), { minLength: 2, maxLength: 3 }),
  }),
)

test('any policy written as a word is read as the same policy', () => {
  fc.assert(
    fc.property(policy, (any) => {
      const word = wordOf(any)
      const read = policyFrom(word)
      expect({ word: read.word, policy: read.policy }).toEqual({ word, policy: any })
    }),
    { seed: 1, numRuns: 300 },
  )
})
