import { describe, expect, test } from 'vitest'
import { fixed } from '../../kernel/distribution.ts'
import { randomStream } from '../../kernel/random.ts'
import type { PollPolicy } from '../../policies/policy.ts'
import { backoffOf, every, listOf, pollBy, seconds } from '../../testing/scenario.ts'
import { createPollSchedule, type PollAnswer, type PollStep } from './policy.ts'

const growing = (initialS: number, multiplier: number, maxS?: number) =>
  ({
    of: 'growing',
    initialUs: seconds(initialS),
    multiplier,
    maxUs: maxS === undefined ? undefined : seconds(maxS),
  }) as const

const task = (
  facts: { news?: boolean; hintS?: number; retryAfterS?: number; of?: 'task' | 'not-modified' } = {},
): PollAnswer => ({
  of: facts.of ?? 'task',
  news: facts.news ?? false,
  asks: { hintUs: usOf(facts.hintS), retryAfterUs: usOf(facts.retryAfterS) },
})
const usOf = (s: number | undefined): number | undefined => (s === undefined ? undefined : seconds(s))

const error: PollAnswer = { of: 'error', says: 'GetTask was answered with 503', retryAfterUs: undefined }
const slowDown: PollAnswer = { of: 'slow-down', retryAfterUs: undefined }
const throttled = (retryAfterS?: number): PollAnswer => ({
  of: 'throttled',
  retryAfterUs: usOf(retryAfterS),
})

/** When polls leave, in s from the reply, each answered at once in these ways; the last entry says how it ended, if it did. */
function polls(
  policy: PollPolicy,
  answers: readonly PollAnswer[],
  reply: { hintS?: number; retryAfterS?: number; tookS?: number; seed?: number } = {},
): (number | string)[] {
  const schedule = createPollSchedule(policy, randomStream(reply.seed ?? 1, 'polling'))
  const asks = { hintUs: usOf(reply.hintS), retryAfterUs: usOf(reply.retryAfterS) }
  const seen: (number | string)[] = []
  let step: PollStep = schedule.first({ replyUs: 0, asks })
  for (const answer of answers) {
    if (step.of === 'give up') break
    seen.push(step.atUs / 1e6)
    const answeredUs: number = step.atUs + seconds(reply.tookS ?? 0)
    step = schedule.next({ sentUs: step.atUs, answeredUs, answer })
  }
  seen.push(step.of === 'poll' ? step.atUs / 1e6 : `${step.outcome} at ${step.atUs / 1e6}: ${step.reason}`)
  return seen
}

const times = (count: number, answer: PollAnswer = task()) => Array.from({ length: count }, () => answer)

describe('the first poll', () => {
  test.each<[PollPolicy['first'], { hintS?: number; retryAfterS?: number }, number]>([
    ['now', { hintS: 9 }, 0],
    ['after', {}, 5],
    ['after', { retryAfterS: 2 }, 2],
    ['hint', {}, 0],
    ['hint', { hintS: 9 }, 9],
    ['hint', { retryAfterS: 2 }, 2],
    [fixed(seconds(3)), { hintS: 9 }, 3],
  ])('%j, reply %j: at %d s', (first, reply, atS) => {
    expect(polls(pollBy(every(seconds(5)), { first }), [], reply)).toEqual([atS])
  })

  test('at random it is a share of the first wait', () => {
    const policy = pollBy(every(seconds(5)), { first: 'random' })
    const firsts = Array.from({ length: 200 }, (_, seed) => polls(policy, [], { seed })[0] as number)
    expect(Math.min(...firsts)).toBeGreaterThanOrEqual(0)
    expect(Math.min(...firsts)).toBeLessThan(0.2)
    expect(Math.max(...firsts)).toBeGreaterThan(4.8)
    expect(Math.max(...firsts)).toBeLessThan(5)
  })

  test('after the first wait, the second wait follows', () => {
    expect(polls(pollBy(growing(1, 2), { first: 'after' }), times(3))).toEqual([1, 3, 7, 15])
  })
})

describe('waits', () => {
  test('count from the response, or from the request but never from before the response', () => {
    const policy = pollBy(every(seconds(7)))
    expect(polls(policy, times(2), { tookS: 2 })).toEqual([0, 9, 18])
    expect(polls({ ...policy, waitFrom: 'request' }, times(2), { tookS: 2 })).toEqual([0, 7, 14])
    expect(polls({ ...policy, waitFrom: 'request' }, times(2), { tookS: 20 })).toEqual([0, 20, 40])
  })

  test('come from a list, the last again and again', () => {
    const waits = { of: 'list', delaysUs: [seconds(1), seconds(0.5)], last: 'repeats' } as const
    expect(polls(pollBy(waits), times(4))).toEqual([0, 1, 1.5, 2, 2.5])
    expect(polls(pollBy(listOf(seconds(1))), times(2)).at(-1)).toMatch(/^not-learned at 1: .*list of waits/)
  })

  test('are bounded, whoever asked for them', () => {
    const policy = pollBy(growing(1, 4), { minUs: seconds(2), maxUs: seconds(6), hint: 'interval' })
    expect(polls(policy, times(3))).toEqual([0, 2, 6, 12])
    expect(polls(policy, [task({ hintS: 60 }), task({ retryAfterS: 0 }), task({ hintS: 0.5 })])).toEqual([
      0, 6, 8, 10,
    ])
  })
})

describe('the hint', () => {
  const answers = [
    task({ hintS: 3 }),
    task(),
    task({ hintS: 10 }),
    task({ of: 'not-modified' }),
    error,
    task(),
  ]

  // The ramp goes 1, 2, 4, 8, 16 s.
  test.each<[PollPolicy['hint'], number[]]>([
    ['ignore', [0, 1, 3, 7, 15, 31, 63]],
    ['interval', [0, 3, 4, 14, 24, 34, 36]],
    ['floor', [0, 3, 5, 15, 25, 41, 73]],
    ['cap', [0, 1, 3, 7, 15, 25, 57]],
  ])('%s; a task without one takes it back, a 304 and an error do not', (hint, expected) => {
    expect(polls(pollBy(growing(1, 2), { hint }), answers)).toEqual(expected)
  })

  test('is stretched by the margin, as the interval is', () => {
    const policy = pollBy(every(seconds(5)), { hint: 'interval', margin: 1.2, first: 'after' })
    expect(polls(policy, [task({ hintS: 10 })], { hintS: 3 })).toEqual([3.6, 15.6])
    expect(polls(policy, [task()])).toEqual([6, 12])
  })

  test('as the cap of a ramp it is spread as the ramp is', () => {
    const policy = pollBy(growing(100, 2), { hint: 'cap', first: 'after', jitter: { of: 'full' } })
    const firsts = Array.from(
      { length: 200 },
      (_, seed) => polls(policy, [], { hintS: 10, seed })[0] as number,
    )
    expect(Math.max(...firsts)).toBeLessThan(10)
    expect(firsts.filter((at) => at < 5).length).toBeGreaterThan(70)
  })

  test('is spread as an interval is, but takes no part in waits that grow by chance', () => {
    const policy = pollBy(growing(1, 2, 60), { hint: 'interval', first: 'hint' })
    const hinted = (jitter: PollPolicy['jitter']) =>
      polls({ ...policy, jitter }, [task({ hintS: 10 })], { hintS: 10 })[1] as number
    expect(hinted({ of: 'decorrelated' })).toBe(20)
    expect(hinted({ of: 'uniform-growth' })).toBe(20)
    expect(hinted({ of: 'stretch', less: 0, more: 0.5 })).toBeGreaterThan(20)
  })
})

describe('limits', () => {
  test('attempts count polls: forty at 15 s look for the last time at 585 s', () => {
    const policy = pollBy(every(seconds(15)), { attempts: 40 })
    const all = polls(policy, times(41))
    expect(all).toHaveLength(41)
    expect(all.slice(-2)).toEqual([
      585,
      'not-learned at 585: the task was not over after 40 polls (attempts)',
    ])
  })

  test('a poll exactly at the end of the budget is made, a later one not; then it is over', () => {
    const policy = pollBy(every(seconds(5)), { budgetUs: seconds(10) })
    const over = 'not-learned at 10: the task was not over after 10 s (budget)'
    expect(polls(policy, times(4))).toEqual([0, 5, 10, over])
    expect(polls({ ...policy, waits: every(seconds(4)) }, times(4))).toEqual([0, 4, 8, over])
  })

  test('an answer later than the budget ends it then', () => {
    const policy = pollBy(every(seconds(5)), { budgetUs: seconds(10) })
    expect(polls(policy, times(2), { tookS: 8 })).toEqual([
      0,
      'not-learned at 10: the task was not over after 10 s (budget)',
    ])
    expect(polls(policy, times(2), { tookS: 12 }).at(-1)).toMatch(/^not-learned at 12/)
  })

  test('the last look comes so long before the end of the budget, once', () => {
    const policy = pollBy(growing(2, 2), { budgetUs: seconds(20), lastLookUs: seconds(2) })
    expect(polls(policy, times(5)).slice(0, -1)).toEqual([0, 2, 6, 14, 18])
    expect(polls({ ...policy, waits: every(seconds(1)) }, times(30)).slice(-3)).toEqual([
      17,
      18,
      'not-learned at 20: the task was not over after 20 s (budget)',
    ])
  })
})

test('a wait of 0 where nothing takes time comes to an end', () => {
  const all = polls(pollBy(every(0)), times(2000))
  expect(all).toHaveLength(1001)
  expect(all.at(-1)).toMatch(/^not-learned at 0: 1000 polls at one instant/)
})

describe('Retry-After', () => {
  const policy = pollBy(every(seconds(5)))
  const answers = [throttled(2), task({ retryAfterS: 9 }), { ...error, retryAfterUs: seconds(1) }]

  test('is the next wait, counted from the answer', () => {
    expect(polls({ ...policy, waitFrom: 'request' }, answers, { tookS: 1 })).toEqual([0, 3, 13, 15])
  })

  test('may be ignored, cut or spread', () => {
    expect(polls({ ...policy, retryAfter: 'ignore' }, answers)).toEqual([0, 5, 10, 15])
    const cut = { jitter: { of: 'none' }, maxUs: seconds(4) } as const
    expect(polls({ ...policy, retryAfter: cut }, answers)).toEqual([0, 2, 6, 7])
    const spread = { jitter: { of: 'stretch', less: 0, more: 0.25 }, maxUs: undefined } as const
    const [, second] = polls({ ...policy, retryAfter: spread }, [throttled(4)]) as number[]
    expect(second).toBeGreaterThan(4)
    expect(second).toBeLessThan(5)
  })
})

describe('slow-downs', () => {
  const policy = pollBy(every(seconds(5)), { first: 'after' })

  test('lengthen every further wait, and only those', () => {
    const add = { addUs: seconds(5), multiply: 1, giveUpAt: undefined }
    expect(polls({ ...policy, slowDown: add }, [slowDown, task(), slowDown, task()])).toEqual([
      5, 15, 25, 40, 55,
    ])
    const multiply = { addUs: 0, multiply: 1.4, giveUpAt: undefined }
    expect(polls({ ...policy, slowDown: multiply }, [slowDown, task(), slowDown])).toEqual([5, 12, 19, 28.8])
  })

  test('add up where they do both', () => {
    const both = { addUs: seconds(1), multiply: 2, giveUpAt: undefined }
    // 5 x 2 + 1 = 11, and 11 x 2 + 1 = 23.
    expect(polls({ ...policy, slowDown: both }, [slowDown, slowDown])).toEqual([5, 16, 39])
  })

  test('may be ignored, and may be enough', () => {
    expect(polls(policy, times(3, slowDown))).toEqual([5, 10, 15, 20])
    const twice = { addUs: 0, multiply: 2, giveUpAt: 2 }
    expect(polls({ ...policy, slowDown: twice }, times(3, slowDown))).toEqual([
      5,
      15,
      'failed at 15: the agent said 2 times to slow down',
    ])
  })
})

describe('errors', () => {
  const retry = backoffOf(growing(1, 2), { attempts: 3 })

  test('change nothing, end it, or begin waits of their own, until one poll succeeds', () => {
    const policy = pollBy(every(seconds(10)))
    expect(polls(policy, times(2, error))).toEqual([0, 10, 20])
    expect(polls({ ...policy, onError: 'fail' }, [task(), error])).toEqual([
      0,
      10,
      'failed at 10: GetTask was answered with 503',
    ])
    expect(polls({ ...policy, onError: retry }, [error, error, task(), error, error, error])).toEqual([
      0,
      1,
      3,
      13,
      14,
      16,
      'failed at 16: GetTask was answered with 503, and no attempt is left',
    ])
  })

  test('a budget for them counts from the first of a row', () => {
    const policy = pollBy(every(seconds(10)), {
      onError: backoffOf(every(seconds(3)), { budgetUs: seconds(6) }),
    })
    expect(polls(policy, [task(), ...times(9, error)]).slice(0, -1)).toEqual([0, 10, 13, 16])
    expect(polls(policy, [error, task(), error, error]).slice(0, -1)).toEqual([0, 3, 13, 16])
  })

  test('429 has a rule of its own', () => {
    const policy = pollBy(every(seconds(10)), { onError: 'fail', on429: retry })
    expect(polls(policy, [throttled(), throttled(), task()])).toEqual([0, 1, 3, 13])
    // Where the agent asks for a wait it is taken, and counts as an attempt all the same.
    expect(polls(policy, [throttled(7), throttled(7), throttled(7)])).toEqual([
      0,
      7,
      14,
      'failed at 14: the agent answered 429, and no attempt is left',
    ])
  })

  test('what trying again will not change is the end', () => {
    const policy = pollBy(every(seconds(10)))
    expect(polls(policy, [task(), { of: 'gone' }])).toEqual([
      0,
      10,
      'failed at 10: the agent has no such task any more',
    ])
    expect(polls(policy, [{ of: 'refused', says: 'not allowed' }])).toEqual([0, 'failed at 0: not allowed'])
  })
})

describe('adaptive waits', () => {
  const [news, quiet] = [task({ news: true }), task()]
  const adapt = { minUs: seconds(1), maxUs: seconds(30) }

  test('additive increase, multiplicative decrease, within bounds', () => {
    const policy = pollBy(every(seconds(8)), {
      adapt: { news: { of: 'times', factor: 0.5 }, quiet: { of: 'plus', us: seconds(2) }, ...adapt },
    })
    expect(polls(policy, [quiet, quiet, news, news, news, news])).toEqual([0, 10, 22, 28, 31, 32.5, 33.5])
  })

  test('busy and idle as two values', () => {
    const policy = pollBy(every(seconds(0.5)), {
      adapt: {
        ...adapt,
        minUs: undefined,
        news: { of: 'set', us: seconds(0.5) },
        quiet: { of: 'set', us: seconds(3) },
      },
    })
    expect(polls(policy, [quiet, news, news, quiet])).toEqual([0, 3, 3.5, 4, 7])
  })

  test('adaptive time to refresh: the first wait and half of what passed since the last change that was seen', () => {
    const policy = pollBy(every(seconds(1)), {
      adapt: { news: { of: 'reset' }, quiet: { of: 'times', factor: 1.5 }, ...adapt },
    })
    const instants = polls(policy, [news, ...times(6), news, quiet]) as number[]
    const waits = instants.map((at, index) => (instants[index + 1] as number) - at)
    for (const index of [0, 1, 2, 3, 4, 5, 6])
      expect(waits[index]).toBeCloseTo(1 + (instants[index] as number) / 2, 5)
    expect(waits.slice(7, 9)).toEqual([1, 1.5])
  })
})

test('hold times grow from poll to poll and begin anew with news', () => {
  const hold = backoffOf(growing(1, 1.5, 2))
  const schedule = createPollSchedule(pollBy(every(0), { hold }), randomStream(1, 'polling'))
  const asks = { hintUs: undefined, retryAfterUs: undefined }
  const holds: unknown[] = []
  let step = schedule.first({ replyUs: 0, asks })
  for (const news of [false, false, true, false]) {
    holds.push(step.of === 'poll' && step.holdUs)
    step = schedule.next({ sentUs: 0, answeredUs: 0, answer: { of: 'task', news, asks } })
  }
  expect(holds).toEqual([seconds(1), seconds(1.5), seconds(2), seconds(1)])
})

// RFC 8628 by a clock that runs 10 % fast, at an agent that wants 5 s between polls: the case of cli/oauth#108.
describe('a device flow whose clock runs fast', () => {
  /** Instants are true seconds; the gap grows with each slow-down where `addS` says so. */
  function flow(policy: PollPolicy, jobS: number, addS = 0): { slowDowns: number; at: number } {
    const rate = 1.1
    const schedule = createPollSchedule(policy, randomStream(1, 'polling'))
    const asks = { hintUs: seconds(5), retryAfterUs: undefined }
    let step = schedule.first({ replyUs: 0, asks })
    let lastS = 0
    let gapS = 5
    let slowDowns = 0
    for (;;) {
      const atS = step.atUs / 1e6 / rate
      if (step.of === 'give up' || atS >= jobS) return { slowDowns, at: atS }
      const tooSoon = atS - lastS < gapS
      if (tooSoon) {
        slowDowns += 1
        gapS += addS
      }
      lastS = atS
      const answer: PollAnswer = tooSoon ? slowDown : { of: 'task', news: false, asks }
      step = schedule.next({ sentUs: step.atUs, answeredUs: step.atUs, answer })
    }
  }
  const device = pollBy(every(seconds(5)), { first: 'after', hint: 'interval' })
  const rfc8628 = { ...device, slowDown: { addUs: seconds(5), multiply: 1, giveUpAt: undefined } }
  const gh = { ...device, margin: 1.2, slowDown: { addUs: 0, multiply: 1.4, giveUpAt: 2 } }

  test('is told once to slow down, and then is late; with a margin it is not', () => {
    expect(flow(rfc8628, 62).slowDowns).toBe(1)
    expect(flow(rfc8628, 62).at - 62).toBeCloseTo(6.182, 3)
    expect(flow(gh, 62).slowDowns).toBe(0)
    expect(flow(gh, 62).at - 62).toBeCloseTo(3.455, 3)
  })

  test('is starved by an agent whose gap grows as well', () => {
    expect(flow(rfc8628, 899, 5).slowDowns).toBe(19)
  })
})
