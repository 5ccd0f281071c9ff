import { createAgent } from '../agent/agent.ts'
import { scenarioJob } from '../agent/behaviours/scenario-job.ts'
import { venueFinder } from '../agent/behaviours/venue-finder.ts'
import { settingsWith } from '../agent/settings.ts'
import { idSource } from '../kernel/ids.ts'
import { randomStream } from '../kernel/random.ts'
import { createRealClock } from '../kernel/real-clock.ts'
import { realTurn } from '../kernel/turn.ts'
import type { Handler } from '../network/network.ts'
import { listen } from '../network/sockets.ts'
import { AGENT_CARD_PATH } from '../protocol/paths.ts'
import type { Journal } from '../records/journal.ts'
import type { Scenario } from '../scenario/scenario.ts'
import { endableStreams } from './endable-streams.ts'
import { leaveUrl, withLeavePage } from './leave-page.ts'
import { createPostman } from './postman.ts'

/** At this speed instants stay exact for more than three months, and a millisecond of the machine is a second. */
export const SPEED_MAX = 1_000

export interface ServeOptions {
  /** Whose job the agent plays for every message, and whose card it keeps; without one it is the venue finder. */
  scenario: Scenario | undefined
  /** A name or an address of this machine; one that stands for all of them is `0.0.0.0` or `::`. */
  host: string
  /** 0 for any free one. */
  port: number
  /** How many times as fast as real time the agent lives: above 0, up to `SPEED_MAX`. */
  speed: number
  /** Whether webhook posts may leave this machine. Nothing checks their addresses otherwise. */
  remoteWebhooks: boolean
  /** Hears of each webhook post that was not sent because it would have left this machine. */
  onHeldBack: (url: string) => void
  /** Hears of each fault of ours. The client sees a connection that breaks. */
  onFault: (error: unknown) => void
}

export interface Serving {
  /** `http://127.0.0.1:4100`: where the agent answers, as its card says. */
  origin: string
  /** Where its card is. */
  cardUrl: string
  /** Ends every open stream, then frees the port and lets go of everything else. */
  close: () => Promise<void>
}

/**
 * Serves the imitation agent in real time, until closed. Its tasks live as long
 * as it does.
 *
 * @throws RangeError if the speed is out of range
 * @throws Error with a `code`: that of `node:net` if nobody can listen there, such
 *   as EADDRINUSE; ERR_INVALID_URL if the host can be part of no address
 */
export async function serve(options: ServeOptions): Promise<Serving> {
  const { scenario, host, port, speed, onFault } = options
  if (!(speed > 0 && speed <= SPEED_MAX))
    throw new RangeError(`the speed is a number above 0, up to ${SPEED_MAX}, not ${speed}`)

  // The agent's card names the port, which is known only once it listens. Nothing can
  // be asked before: from here to the agent's answer the event loop does not come round.
  let answer: Handler = () => Promise.reject(new Error('nobody is there yet'))
  const callable = callableHost(host)
  const listening = await listen((request) => answer(request), { host, port })
  const origin = `http://${callable}:${new URL(listening.origin).port || 80}`

  const time = createRealClock({ speed })
  const postman = createPostman(options)
  const random = (purpose: string) => randomStream(scenario?.seed ?? 1, purpose)
  const agent = createAgent({
    clock: time.clock,
    origin,
    behaviour:
      scenario === undefined
        ? venueFinder({ authoriseAt: (taskId) => leaveUrl(origin, taskId) })
        : scenarioJob(scenario.job),
    settings: settingsWith(scenario?.agent),
    hintsPolls: scenario?.job.pollHintUs !== undefined,
    ids: idSource(random('agent ids'), time.clock),
    random,
    fetch: postman.fetch,
    journal: FORGETFUL,
    onMoment: () => {},
  })
  const streams = endableStreams(withLeavePage(agent.handle, agent.authorised))
  answer = (request) =>
    streams.handle(request).catch((error: unknown) => {
      onFault(error)
      throw error
    })

  return {
    origin,
    cardUrl: origin + AGENT_CARD_PATH,
    async close() {
      time.close()
      postman.close()
      streams.end()
      // The ends of the streams are written within a turn; connections break off only afterwards.
      await realTurn()
      await listening.close()
    },
  }
}

/**
 * The host as clients write it. All addresses of a machine together are none
 * that anybody can call: the card then names the one every machine has.
 */
function callableHost(host: string): string {
  const { hostname } = new URL(`http://${host.includes(':') ? `[${host}]` : host}`)
  return hostname === '0.0.0.0' ? '127.0.0.1' : hostname === '[::]' ? '[::1]' : hostname
}

/** Nobody will ask what happened, and an agent that serves for weeks must not remember it. */
const FORGETFUL: Journal = { append() {}, exchange: () => undefined, records: () => [] }
