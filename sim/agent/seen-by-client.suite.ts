/**
 * What a client sees of an agent: the official client over JSON-RPC and the
 * network without latency, each thing seen told as (instant, event, state). The
 * agent is the imitation or the official SDK's server core.
 */
import { AgentCard, type Message, SendMessageRequest, StreamResponse, Task } from '@a2a-js/sdk'
import { type Client, ClientFactory, JsonRpcTransportFactory } from '@a2a-js/sdk/client'
import { vi } from 'vitest'
import type { Clock } from '../kernel/clock.ts'
import { randomStream } from '../kernel/random.ts'
import { US_PER_SECOND } from '../kernel/units.ts'
import { inVirtualTime } from '../kernel/virtual-time.ts'
import { DIRECT_PATH } from '../path/path.ts'
import { createNetwork } from '../network/wire.ts'
import type { Task as WireTask, StreamResponse as WireEvent } from '../protocol/a2a.ts'
import { operationOf, saysOf } from '../protocol/operations.ts'
import { wordOfState } from '../protocol/states.ts'
import { wordsOf } from '../protocol/words.ts'
import { createJournal } from '../records/journal.ts'
import { MESSAGE, ORIGIN } from '../testing/agent-stage.ts'
import { chunk, jobOf, seconds, status } from '../testing/scenario.ts'
import { createAgent } from './agent.ts'
import { scenarioJob } from './behaviours/scenario-job.ts'
import { createSdkAgent } from './sdk-server.suite.ts'
import { settingsWith } from './settings.ts'

/** Where the client takes webhook posts. */
export const HOOK = 'https://client.example/hooks/1'

const JOB = jobOf([
  status(0, 'working'),
  status(seconds(20), 'working', 'Searching venues.'),
  chunk(seconds(60), 'shortlist'),
  chunk(seconds(100), 'shortlist', { append: true, lastChunk: true }),
  chunk(seconds(100), 'prices', { lastChunk: true }),
  status(seconds(100), 'completed', 'Here are the venues.'),
])

/** One thing the client saw: the instant in seconds, and what it was. */
export type Seen = [atSeconds: number, what: string]

export interface Scene {
  client: Client
  clock: Clock
  at: (atSeconds: number) => Promise<void>
  /** Sends with `returnImmediately` and tells the reply. */
  send: (webhook?: boolean) => Promise<string>
  tell: (what: string) => void
  /** Tells each event until the stream ends, and its end. */
  follow: (events: AsyncIterable<StreamResponse>, most?: number) => Promise<void>
  /** Tells the result of a call, or its error by name. */
  outcome: (call: Promise<Message | Task>) => Promise<WireTask | undefined>
}

/** What a client sees of each of the two agents in one and the same scene. */
export async function both(
  scene: (scene: Scene) => Promise<void>,
): Promise<{ ours: Seen[]; theirs: Seen[] }> {
  return { ours: await seen('ours', scene), theirs: await seen('theirs', scene) }
}

async function seen(whose: 'ours' | 'theirs', play: (scene: Scene) => Promise<void>): Promise<Seen[]> {
  const told: Seen[] = []
  await inVirtualTime({ horizonUs: seconds(1000) }, async (clock) => {
    const journal = createJournal()
    const network = createNetwork({
      clock,
      journal,
      path: () => DIRECT_PATH,
      random: (purpose) => randomStream(1, purpose),
      describe: { operation: operationOf, event: saysOf },
    })
    let drawn = 0
    const ids = () => `A${String(++drawn).padStart(25, '0')}`
    const fetch = network.fetchFrom('agent')
    const agent = createAgent({
      clock,
      origin: ORIGIN,
      behaviour: scenarioJob(JOB),
      settings: settingsWith(),
      random: (purpose) => randomStream(1, purpose),
      ids,
      fetch,
      journal,
      onMoment: () => {},
    })
    // The SDK's push sender takes no fetch: it calls the global one.
    vi.stubGlobal('fetch', fetch)
    const handle = whose === 'ours' ? agent.handle : createSdkAgent({ clock, card: agent.card, job: JOB })
    network.host(ORIGIN, 'agent', handle)

    const tell: Scene['tell'] = (what) => told.push([clock.nowUs() / US_PER_SECOND, what])
    network.host(new URL(HOOK).origin, 'receiver', async (request) => {
      tell(`post: ${describeEvent((await request.json()) as WireEvent)}`)
      return new Response(null, { status: 204 })
    })
    const transports = [new JsonRpcTransportFactory({ fetchImpl: network.fetchFrom('client') })]
    const client = await new ClientFactory({ transports }).createFromAgentCard(AgentCard.fromJSON(agent.card))
    const outcome: Scene['outcome'] = (call) =>
      call.then(
        (result) => {
          if ('messageId' in result) throw new Error('the agent answered with a message and began no task')
          const wire = Task.toJSON(result) as WireTask
          tell(describeTask(wire))
          return wire
        },
        (error: unknown) => {
          tell((error as Error).name)
          return undefined
        },
      )
    await play({
      client,
      clock,
      tell,
      outcome,
      at: (atSeconds) => clock.sleep(seconds(atSeconds) - clock.nowUs()),
      async send(webhook = false) {
        const configuration = {
          returnImmediately: true,
          ...(webhook && { taskPushNotificationConfig: { url: HOOK } }),
        }
        const reply = client.sendMessage(SendMessageRequest.fromJSON({ message: MESSAGE, configuration }))
        return (await outcome(reply))?.id as string
      },
      async follow(events, most = Infinity) {
        let count = 0
        try {
          for await (const event of events) {
            tell(describeEvent(StreamResponse.toJSON(event) as WireEvent))
            count += 1
            if (count === most) break
          }
          tell(count === most ? 'left' : 'end')
        } catch (error) {
          tell((error as Error).name)
        }
      },
    })
    await network.settled()
    network.close()
  })
  return told
}

const describeTask = ({ status: { state }, artifacts = [] }: WireTask): string =>
  [
    'task',
    wordOfState(state),
    ...artifacts.map(({ artifactId, parts }) => `${artifactId}:${parts.length}`),
  ].join(' ')

function describeEvent(event: WireEvent): string {
  if ('task' in event) return describeTask(event.task)
  if (!('artifactUpdate' in event)) return wordsOf(event)
  const { append = false, lastChunk = false } = event.artifactUpdate
  return [wordsOf(event), append && 'appended', lastChunk && 'last'].filter(Boolean).join(' ')
}
