/**
 * Mistakes planted on purpose, in mechanisms and in the agent: what the swarm
 * has to find. Each says what somebody forgot.
 */
import { fixed } from '../kernel/distribution.ts'
import type { ClientWorld } from '../mechanisms/a2a-world.ts'
import type { Handler } from '../network/network.ts'
import type { Backoff } from '../policies/backoff.ts'
import type { SinglePolicy } from '../policies/policy.ts'
import { withSingles } from '../policies/singles.ts'
import type { Scenario } from '../scenario/scenario.ts'
import type { Tampering } from './play.ts'

export interface Plant extends Tampering {
  name: string
  forgot: string
}

/** Plays another policy than declared: each single policy in it changed. */
const otherPolicy = (change: (policy: SinglePolicy) => SinglePolicy): Pick<Tampering, 'declared'> => ({
  declared: ({ scenario, entry }) => ({
    scenario,
    entry: { ...entry, policy: withSingles(entry.policy, change) },
  }),
})

const otherStreams = (change: object): Pick<Tampering, 'declared'> =>
  otherPolicy((policy) => (policy.kind === 'stream' ? { ...policy, ...change } : policy))

const otherScenario = (change: (scenario: Scenario) => Scenario): Pick<Tampering, 'declared'> => ({
  declared: ({ scenario, entry }) => ({ scenario: change(scenario), entry }),
})

/** One retry fewer than the schedule has. */
function oneFewer(retry: Backoff): Backoff {
  const { waits, attempts } = retry
  if (waits.of === 'list') return { ...retry, waits: { ...waits, delaysUs: waits.delaysUs.slice(0, -1) } }
  return attempts === undefined || attempts === 1 ? retry : { ...retry, attempts: attempts - 1 }
}

/** Passes every answer of the agent through a change of its text, where it is whole. */
const otherAnswers =
  (change: (text: string, request: Request) => string) =>
  (handle: Handler): Handler =>
  async (request) => {
    const response = await handle(request)
    if (response.status !== 200 || response.headers.get('content-length') === null) return response
    const text = change(await response.text(), request)
    const headers = new Headers(response.headers)
    headers.set('content-length', String(Buffer.byteLength(text)))
    return new Response(text, { status: response.status, headers })
  }

const isGet = (request: Request): boolean => request.method === 'GET'

const otherWorld = (change: (world: ClientWorld) => Partial<ClientWorld>): Pick<Tampering, 'world'> => ({
  world: (world) => ({ ...world, ...change(world) }),
})

/** Counts its answers across runs, and lets the count be seen. */
function createCounting(): NonNullable<Tampering['agent']> {
  let answers = 0
  return otherAnswers((text) => text + ' '.repeat(answers++ % 7))
}

export const PLANTS: readonly Plant[] = [
  {
    name: 'clean-close-is-the-end',
    forgot: 'that a stream may end cleanly before the task does',
    ...otherStreams({ cleanClose: 'finish' }),
  },
  {
    name: 'no-reconnect',
    forgot: 'to open a stream again',
    ...otherStreams({ reconnect: undefined }),
  },
  {
    name: 'watchdog-asleep',
    forgot: 'to notice a stream that has fallen silent',
    ...otherStreams({ watchdogUs: undefined }),
  },
  {
    name: 'snapshot-ignored',
    forgot: 'to read the snapshot a resumed stream begins with',
    ...otherStreams({ resume: 'live' }),
  },
  {
    name: 'no-timeout',
    forgot: 'to give up a call that hangs',
    declared: ({ scenario, entry }) => ({
      scenario: { ...scenario, client: { ...scenario.client, firstByteUs: undefined, idleUs: undefined } },
      entry: {
        ...entry,
        policy: withSingles(entry.policy, (policy) =>
          policy.kind === 'push' ? policy : { ...policy, timeoutUs: undefined },
        ),
      },
    }),
  },
  {
    name: 'retry-off-by-one',
    forgot: 'the last attempt of a webhook post',
    ...otherPolicy((policy) => {
      const { retry } = policy.kind === 'push' ? policy.sending : {}
      return policy.kind === 'push' && retry !== undefined
        ? { ...policy, sending: { ...policy.sending, retry: oneFewer(retry) } }
        : policy
    }),
  },
  {
    name: 'no-dedupe',
    forgot: 'that a post may come twice',
    ...otherScenario((scenario) => ({
      ...scenario,
      receiver: scenario.receiver === 'none' ? 'none' : { ...scenario.receiver, dedupe: false },
    })),
  },
  {
    name: 'posts-overtake',
    forgot: 'to wait for one post before sending the next',
    ...otherPolicy((policy) =>
      policy.kind === 'push' ? { ...policy, sending: { ...policy.sending, ordered: false } } : policy,
    ),
  },
  {
    name: 'fallback-missing',
    forgot: 'the last link of a chain',
    declared: ({ scenario, entry }) => ({
      scenario,
      entry:
        entry.policy.kind === 'chain' && entry.policy.links.length > 1
          ? { ...entry, policy: { ...entry.policy, links: entry.policy.links.slice(0, -1) } }
          : entry,
    }),
  },
  {
    name: 'hint-in-the-wrong-unit',
    forgot: 'that hints are milliseconds',
    ...otherScenario((scenario) => ({
      ...scenario,
      agent: {
        ...scenario.agent,
        polling: {
          ...scenario.agent.polling,
          hints: scenario.agent.polling.hints.map((step) => ({ ...step, hintUs: step.hintUs * 1000 })),
        },
      },
    })),
  },
  {
    name: 'poll-once',
    forgot: 'to ask again when the first poll brought nothing',
    ...otherPolicy((policy) => (policy.kind === 'poll' ? { ...policy, attempts: 1 } : policy)),
  },
  {
    name: 'early-eyes',
    forgot: 'that what is on its way is not yet known',
    ...otherScenario((scenario) => ({
      ...scenario,
      network: { ...scenario.network, latency: { up: fixed(0), down: fixed(0) } },
    })),
  },
  {
    name: 'forgotten-timer',
    forgot: 'to cancel what it had scheduled',
    ...otherWorld(({ clock }) => {
      clock.at(clock.nowUs() + 3_000_000_000, () => {})
      return {}
    }),
  },
  {
    name: 'stale-cache',
    forgot: 'to ask the store anew for every GetTask',
    agent(handle) {
      const first = new Map<string, string>()
      return otherAnswers((text, request) => {
        if (!isGet(request)) return text
        const cached = first.get(request.url)
        if (cached === undefined) first.set(request.url, text)
        return cached ?? text
      })(handle)
    },
  },
  {
    name: 'made-up-state',
    forgot: 'what state the task was in',
    agent: otherAnswers((text) => text.replace('TASK_STATE_WORKING', 'TASK_STATE_AUTH_REQUIRED')),
  },
  {
    name: 'webhook-dropped',
    forgot: 'to register the webhook that came with the send',
    agent: (handle) => async (request) => {
      const text = await request.clone().text()
      if (!text.includes('taskPushNotificationConfig')) return handle(request)
      const { method, url, headers } = request
      return handle(
        new Request(url, {
          method,
          headers,
          body: text.replaceAll('taskPushNotificationConfig', 'unheardOf'),
        }),
      )
    },
  },
  {
    name: 'state-left-over',
    forgot: 'that every run begins anew',
    agent: createCounting(),
  },
]
