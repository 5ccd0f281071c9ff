/** Chains and combinations of made-up parts: who is begun, who follows, who is ended, and what is told. */
import { describe, expect, test } from 'vitest'
import { inVirtualTime } from '../../kernel/virtual-time.ts'
import type { ChainPolicy, Policy, SinglePolicy, TogetherPolicy } from '../../policies/policy.ts'
import type { Message, SendMessageConfiguration } from '../../protocol/a2a.ts'
import { cardOf } from '../../testing/client-world.ts'
import { pollEvery, pushBy, seconds, streamBy } from '../../testing/scenario.ts'
import type { ClientWorld } from '../a2a-world.ts'
import type { ProcessWorld } from '../client-world.ts'
import { CallError } from '../client.ts'
import { ClientError, type Ending, type Mechanism, type Observation } from '../mechanism.ts'
import { runProcess } from '../over-client.ts'
import type { Process } from '../process.ts'
import { answered, sleep } from '../waiting.ts'
import { createChain } from './chain.ts'
import { createTogether } from './together.ts'

const TASK = { taskId: 'T', contextId: 'C' }
const STREAM = streamBy()
const POLL = pollEvery(seconds(5))
const PUSH = pushBy()

const learned: Ending = { kind: 'learned' }
const lost: Ending = { kind: 'not-learned', reason: 'lost the thread' }

/** What a made-up part does; `log` tells what was done to it. */
type Act = (world: ProcessWorld, policy: SinglePolicy) => Process<Ending>

interface Facts {
  begin?: Act
  follow?: Act
  /** Whether the task becomes known to it when it begins. */
  knows?: boolean
  /** What it needs in the send. */
  needs?: SendMessageConfiguration
}

/** Plays a combination of made-up parts by kind; `observed` is what the world says of each observation. */
async function play(
  policy: ChainPolicy | TogetherPolicy,
  facts: Partial<Record<SinglePolicy['kind'], Facts>>,
  {
    observed = [],
    fetch = answering(200),
  }: { observed?: Observation[]; fetch?: typeof globalThis.fetch } = {},
) {
  const log: string[] = []
  const end = await inVirtualTime({ horizonUs: seconds(1000) }, async (clock, signal) => {
    const say = (line: string) => log.push(`${clock.nowUs() / seconds(1)}s ${line}`)
    const world: ClientWorld = {
      clock,
      signal,
      fetch,
      exchangeOf: () => undefined,
      card: cardOf('HTTP+JSON', {}),
      binding: 'HTTP+JSON',
      request: { message: { messageId: 'M', role: 'ROLE_USER', parts: [{ text: 'Go.' }] } },
      observe: () => observed.shift() ?? { news: false, terminal: false },
      receive: () => ({ url: '' }),
      random: () => {
        throw new Error('nothing random here')
      },
      handOver: (to, reason) => say(`${to} takes over: ${reason}`),
    }
    const mechanismOf = <P extends Policy>({ kind }: P): Mechanism<P> => {
      if (kind === 'chain') return createChain(mechanismOf) as unknown as Mechanism<P>
      const { begin, follow, knows = true, needs } = facts[kind as SinglePolicy['kind']] ?? {}
      function* watched(act: Act = doing(lost), partWorld: ProcessWorld, part: unknown): Process<Ending> {
        let told = 'stopped'
        try {
          const ending = yield* act(partWorld, part as SinglePolicy)
          told = ending.kind
          return ending
        } catch (error) {
          told = String(error)
          throw error
        } finally {
          say(`${kind} ends: ${told}`)
        }
      }
      function* followed(partWorld: ProcessWorld, part: P): Process<Ending> {
        say(`${kind} follows`)
        return yield* watched(follow, partWorld, part)
      }
      return {
        *begin(partWorld, part, beginning) {
          say(`${kind} begins ${JSON.stringify(beginning.configuration)}`)
          if (knows) beginning.began(TASK)
          return yield* watched(begin, partWorld, part)
        },
        follow: followed,
        ...(needs && { prepare: () => ({ configuration: needs, follow: followed }) }),
      }
    }
    const whole: Mechanism<ChainPolicy> | Mechanism<TogetherPolicy> =
      policy.kind === 'chain' ? createChain(mechanismOf) : createTogether(mechanismOf)
    const began: string[] = []
    const ending = await runProcess(world, (its) =>
      (whole as Mechanism<Policy>).begin(its, policy, {
        configuration: {},
        began: ({ taskId }) => began.push(taskId),
      }),
    ).catch((error: unknown) => ({ kind: 'threw', reason: String(error) }))
    say(`all ends: ${ending.kind}${'reason' in ending ? `, ${ending.reason}` : ''}`)
    return began
  })
  return { log, began: end.kind === 'settled' ? end.value : [], leftovers: end.leftovers }
}

const answering =
  (status: number): typeof fetch =>
  () =>
    Promise.resolve(new Response(null, { status }))
const refusing: typeof fetch = () =>
  Promise.reject(
    new TypeError('fetch failed', { cause: Object.assign(new Error(), { code: 'ECONNREFUSED' }) }),
  )

const doing = (ending: Ending): Act =>
  // oxlint-disable-next-line require-yield
  function* () {
    return ending
  }

const breaking = (error: Error): Act =>
  // oxlint-disable-next-line require-yield
  function* () {
    throw error
  }

const after = (count: number, ending: Ending): Act =>
  function* (world) {
    yield* sleep(world, world.nowUs() + seconds(count))
    return ending
  }

/** Makes the send and meets its fate. */
const sending = (ending: Ending): Act =>
  function* (world) {
    try {
      yield* answered(world.connect())
      yield* answered(world.send({}))
    } catch (error) {
      if (!(error instanceof CallError)) throw error
    }
    return ending
  }

const chain = (...links: SinglePolicy[]): ChainPolicy => ({ kind: 'chain', links, recoverUs: undefined })

describe('a chain', () => {
  test('ends with its first link where that learns', async () => {
    const { log } = await play(chain(STREAM, POLL), { stream: { begin: after(7, learned) } })
    expect(log).toEqual(['0s stream begins {}', '7s stream ends: learned', '7s all ends: learned'])
  })

  test('hands the task over when a link gives up or fails, and says why', async () => {
    const failing = breaking(new ClientError('terminated'))
    const { log, began } = await play(chain(STREAM, PUSH, POLL), {
      stream: { begin: after(7, lost) },
      push: { follow: failing },
      poll: { follow: after(2, learned) },
    })
    expect(log).toEqual([
      '0s stream begins {}',
      '7s stream ends: not-learned',
      '7s push takes over: lost the thread',
      '7s push follows',
      '7s push ends: ClientError: terminated',
      '7s poll takes over: terminated',
      '7s poll follows',
      '9s poll ends: learned',
      '9s all ends: learned',
    ])
    expect(began).toEqual(['T'])
  })

  test('ends as its last link does', async () => {
    const { log } = await play(chain(STREAM, POLL), {
      poll: { follow: after(2, { kind: 'failed', reason: 'no such task' }) },
    })
    expect(log.at(-1)).toBe('2s all ends: failed, no such task')
  })

  test('goes back to the first after a while, and forth again, until somebody learns', async () => {
    let times = 0
    const { log, leftovers } = await play(
      { ...chain(STREAM, POLL), recoverUs: seconds(60) },
      {
        stream: {
          begin: after(10, lost),
          follow: (...world) => after(1, ++times === 2 ? learned : lost)(...world),
        },
        poll: { follow: after(500, lost) },
      },
    )
    expect(log).toEqual([
      '0s stream begins {}',
      '10s stream ends: not-learned',
      '10s poll takes over: lost the thread',
      '10s poll follows',
      '70s poll ends: stopped',
      '70s stream takes over: 1 min have passed',
      '70s stream follows',
      '71s stream ends: not-learned',
      '71s poll takes over: lost the thread',
      '71s poll follows',
      '131s poll ends: stopped',
      '131s stream takes over: 1 min have passed',
      '131s stream follows',
      '132s stream ends: learned',
      '132s all ends: learned',
    ])
    expect(leftovers).toEqual({ events: 0, timers: 0, waiting: [] })
  })

  test('a link that has to go takes its errands with it, one that has ended leaves them to go on', async () => {
    const said: string[] = []
    function* errand(world: ProcessWorld, name: string): Process<void> {
      let told = 'is stopped'
      try {
        yield* sleep(world, world.nowUs() + seconds(65))
        told = 'is done'
      } finally {
        said.push(`${world.nowUs() / seconds(1)}s the errand of ${name} ${told}`)
      }
    }
    const sendingOut = (name: string, act: Act): Act =>
      function* (world, policy) {
        world.errand(errand(world, name))
        return yield* act(world, policy)
      }
    await play(
      { ...chain(STREAM, POLL), recoverUs: seconds(60) },
      {
        stream: { begin: sendingOut('stream', after(10, lost)), follow: after(100, learned) },
        poll: { follow: sendingOut('poll', after(500, lost)) },
      },
    )
    expect(said).toEqual(['65s the errand of stream is done', '70s the errand of poll is stopped'])
  })

  test('without a known task the next link begins if nobody acted on the send before', async () => {
    const facts = { stream: { knows: false, begin: sending(lost) }, poll: { begin: after(1, learned) } }
    const turnedAway = await play(chain(STREAM, POLL), facts, { fetch: answering(503) })
    expect(turnedAway.log.slice(2)).toEqual([
      '0s poll takes over: lost the thread',
      '0s poll begins {}',
      '1s poll ends: learned',
      '1s all ends: learned',
    ])
    expect((await play(chain(STREAM, POLL), facts, { fetch: refusing })).log).toEqual(turnedAway.log)
  })

  test('and ends there if somebody may have', async () => {
    const facts = { stream: { knows: false, begin: sending(lost) } }
    for (const fetch of [answering(504), answering(200), () => Promise.reject(new TypeError('terminated'))]) {
      const { log } = await play(chain(STREAM, POLL), facts, { fetch })
      expect(log.at(-1)).toContain('all ends: not-learned, lost the thread; whether that began a task')
    }
  })

  test('a fault of ours is no reason to hand over', async () => {
    const { log } = await play(chain(STREAM, POLL), {
      stream: { begin: breaking(new Error('bug')) },
    })
    expect(log.at(-1)).toBe('0s all ends: threw, Error: bug')
  })
})

describe('side by side', () => {
  const together = (...parts: TogetherPolicy['parts'][number][]): TogetherPolicy => ({
    kind: 'together',
    parts,
  })

  test('whoever learns first ends the others', async () => {
    const { log, leftovers } = await play(together(PUSH, POLL), {
      push: { begin: after(900, learned) },
      poll: { follow: after(60, learned) },
    })
    expect(log).toEqual([
      '0s push begins {}',
      '0s poll follows',
      '60s poll ends: learned',
      '60s push ends: stopped',
      '60s all ends: learned',
    ])
    expect(leftovers).toEqual({ events: 0, timers: 0, waiting: [] })
  })

  test('the others are ended as soon as one has seen the end, even if that one still listens', async () => {
    const lingering: Act = function* (world) {
      yield* sleep(world, seconds(60))
      world.observe({ of: 'artifact', artifactId: '', says: [], append: false }, 'stream', undefined)
      yield* sleep(world, seconds(65))
      return learned
    }
    const { log } = await play(
      together(STREAM, POLL),
      { stream: { begin: lingering }, poll: { follow: after(900, learned) } },
      { observed: [{ news: true, terminal: true }] },
    )
    expect(log.slice(2)).toEqual([
      '60s poll ends: stopped',
      '65s stream ends: learned',
      '65s all ends: learned',
    ])
  })

  test('a part that gives up leaves the others to it', async () => {
    const { log } = await play(together(STREAM, POLL), {
      stream: { begin: after(7, lost) },
      poll: { follow: after(9, learned) },
    })
    expect(log.slice(2)).toEqual([
      '7s stream ends: not-learned',
      '9s poll ends: learned',
      '9s all ends: learned',
    ])
  })

  test('if nobody learns, the ending is that of the first', async () => {
    const { log } = await play(together(STREAM, POLL), {
      stream: { begin: after(7, lost) },
      poll: { follow: after(9, { kind: 'failed', reason: 'no such task' }) },
    })
    expect(log.at(-1)).toBe('9s all ends: not-learned, lost the thread')
  })

  test('what must stand ready before the send is in it', async () => {
    const { log } = await play(together(STREAM, PUSH), {
      stream: { begin: after(7, learned) },
      push: {
        needs: { taskPushNotificationConfig: { url: 'https://client.example' } },
        follow: after(900, learned),
      },
    })
    expect(log[0]).toBe('0s stream begins {"taskPushNotificationConfig":{"url":"https://client.example"}}')
    expect(log).toContain('7s push ends: stopped')
  })

  test('a part may be a chain', async () => {
    const { log } = await play(together(chain(STREAM, POLL), PUSH), {
      stream: { begin: after(7, lost) },
      poll: { follow: after(2, learned) },
      push: { follow: after(900, learned) },
    })
    expect(log).toEqual([
      '0s stream begins {}',
      '0s push follows',
      '7s stream ends: not-learned',
      '7s poll takes over: lost the thread',
      '7s poll follows',
      '9s poll ends: learned',
      '9s push ends: stopped',
      '9s all ends: learned',
    ])
  })

  test('where the first cannot begin the next does', async () => {
    const { log } = await play(together(STREAM, POLL), {
      stream: { knows: false, begin: doing({ kind: 'failed', reason: 'the card says no' }) },
      poll: { begin: after(9, learned) },
    })
    expect(log).toEqual([
      '0s stream begins {}',
      '0s stream ends: failed',
      '0s poll begins {}',
      '9s poll ends: learned',
      '9s all ends: learned',
    ])
  })

  test('a fault of ours ends all', async () => {
    const { log, leftovers } = await play(together(STREAM, POLL), {
      stream: { begin: after(900, learned) },
      poll: { follow: breaking(new Error('bug')) },
    })
    expect(log.at(-1)).toBe('0s all ends: threw, Error: bug')
    expect(leftovers).toEqual({ events: 0, timers: 0, waiting: [] })
  })
})

test('a question is asked of who learned it, and of the next only if that one is gone', async () => {
  const question = {
    of: 'status',
    state: 'TASK_STATE_INPUT_REQUIRED',
    timestamp: '',
    messageId: 'Q',
  } as const
  const message = { messageId: 'M', role: 'ROLE_USER', parts: [] } as Message
  const asked: string[] = []
  const looking = (name: string, times: number, ending: Ending): Act =>
    function* (world) {
      for (let i = 0; i < times; i++) {
        const { asks } = world.observe(question, 'poll', undefined)
        asked.push(`${name} ${asks === undefined ? 'not' : `in ${asks.afterUs / seconds(1)}s`}`)
        yield* sleep(world, world.nowUs() + seconds(4))
      }
      return ending
    }
  await play(
    chain(STREAM, POLL),
    { stream: { begin: looking('stream', 2, lost) }, poll: { follow: looking('poll', 2, learned) } },
    { observed: [{ news: true, terminal: false, asks: { afterUs: seconds(30), message } }] },
  )
  expect(asked).toEqual(['stream in 30s', 'stream not', 'poll in 22s', 'poll not'])
})
