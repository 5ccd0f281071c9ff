/**
 * The proof that the numbers of a run are those of a network: the same A2A
 * traffic, by the official client against the imitation agent, once on the wire
 * in virtual time and once over real sockets in real time, takes the same
 * octets in every group, up and down.
 *
 * Nothing here depends on how fast the real arm is: it waits for what it has
 * seen happen, and what has to be said before the next update has 250 ms.
 */
import {
  GetTaskRequest,
  SendMessageRequest,
  type StreamResponse,
  SubscribeToTaskRequest,
  type Task,
  TaskPushNotificationConfig,
  TaskState,
} from '@a2a-js/sdk'
import {
  type Client,
  ClientFactory,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from '@a2a-js/sdk/client'
import { expect, test } from 'vitest'
import { createAgent } from '../agent/agent.ts'
import { scenarioJob } from '../agent/behaviours/scenario-job.ts'
import { settingsWith } from '../agent/settings.ts'
import type { Moment } from '../agent/tasks.ts'
import { idSource } from '../kernel/ids.ts'
import { randomStream } from '../kernel/random.ts'
import type { Binding } from '../protocol/a2a.ts'
import { createJournal } from '../records/journal.ts'
import { chunk, jobOf, status } from '../testing/scenario.ts'
import type { Handler } from './network.ts'
import { playTwice, type Arm } from './two-arms.suite.ts'

const MS = 1000

/** Long enough for what has to reach the agent before its next update, however busy the machine. */
const AMPLE_US = 250 * MS
const SHORT_US = 20 * MS

/** Three agents that differ in their pace only. */
const JOBS = {
  /** The seed table's job in a hurry: for clients that listen from the first update on. */
  brisk: [
    status(0, 'working'),
    status(SHORT_US, 'working', 'Searching venues.'),
    chunk(2 * SHORT_US, 'venues-shortlist'),
    chunk(2 * SHORT_US, 'venues-shortlist', { append: true, lastChunk: true }),
    status(2 * SHORT_US, 'completed', 'Here are the venues.'),
  ],
  /** Begins late: for clients that first have something more to say. */
  late: [
    status(AMPLE_US, 'working', 'Searching venues.'),
    chunk(AMPLE_US + SHORT_US, 'venues-shortlist', { lastChunk: true }),
    status(AMPLE_US + SHORT_US, 'completed', 'Here are the venues.'),
  ],
  /** Leaves time in each state: for clients that ask, and for those that go away. */
  patient: [
    status(AMPLE_US, 'working', 'Searching venues.'),
    chunk(2 * AMPLE_US, 'venues-shortlist', { lastChunk: true }),
    status(2 * AMPLE_US, 'completed', 'Here are the venues.'),
  ],
}
type Pace = keyof typeof JOBS

/** Counts what came, for those who wait for it. */
function createTally() {
  let untaken = 0
  let wake = () => {}
  return {
    add() {
      untaken += 1
      wake()
    },
    /** Resolves once `count` more have come than were taken before. */
    async take(count: number): Promise<void> {
      while (untaken < count)
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      untaken -= count
    },
  }
}

/** A stage for one binding: its agents, its receiver, and what either of them sees. */
function createStage() {
  let hear: (moment: Moment) => void = () => {}
  let posts = createTally()

  const agent =
    (pace: Pace) =>
    (arm: Arm): Handler =>
      createAgent({
        clock: arm.clock,
        origin: arm.origins[pace] as string,
        behaviour: scenarioJob(jobOf(JOBS[pace])),
        settings: settingsWith(),
        random: (purpose) => randomStream(1, purpose),
        ids: idSource(randomStream(1, `ids of ${pace}`), arm.clock),
        fetch: arm.fetchFrom('agent'),
        journal: createJournal(),
        onMoment: (moment) => hear(moment),
      }).handle

  function receiver(): Handler {
    posts = createTally()
    return async (request) => {
      await request.json()
      posts.add()
      return new Response(null, { status: 204 })
    }
  }

  return {
    cast: {
      brisk: { party: 'agent', handler: agent('brisk') },
      late: { party: 'agent', handler: agent('late') },
      patient: { party: 'agent', handler: agent('patient') },
      receiver: { party: 'receiver', handler: receiver },
    },
    /** Resolves when an agent next makes an update, and gives its moment. */
    update: (number: number) =>
      new Promise<Moment>((resolve) => {
        hear = (moment) => {
          if (moment.update === number) resolve(moment)
        }
      }),
    posts: (count: number) => posts.take(count),
  } as const
}

/** The official client, with the card that the agent gives it. */
function clientOf(arm: Arm, pace: Pace, binding: Binding): Promise<Client> {
  const transport = { fetchImpl: arm.fetchFrom('client') }
  return new ClientFactory({
    transports: [new JsonRpcTransportFactory(transport), new RestTransportFactory(transport)],
    preferredTransports: [binding],
    cardResolver: new DefaultAgentCardResolver(transport),
  }).createFromUrl(arm.origins[pace] as string)
}

const sendOf = (configuration: Record<string, unknown> = {}): SendMessageRequest =>
  SendMessageRequest.fromJSON({
    message: {
      messageId: 'M'.repeat(26),
      role: 'ROLE_USER',
      parts: [{ text: 'Find a venue in Lisbon for 120 people — préférably near the Tejo.' }],
    },
    configuration,
  })

const webhookOf = (arm: Arm) => ({
  url: `${arm.origins['receiver']}/hooks/abc123`,
  token: 't'.repeat(32),
  authentication: { scheme: 'Bearer', credentials: 'c'.repeat(57) },
})

const stateOf = (task: Pick<Task, 'status'>): string =>
  TaskState[task.status?.state ?? TaskState.UNRECOGNIZED] ?? 'unknown'

const saysOf = ({ payload }: StreamResponse): string => payload?.$case ?? 'nothing'

async function wordsOf(stream: AsyncIterable<StreamResponse>): Promise<string[]> {
  const words: string[] = []
  for await (const event of stream) words.push(saysOf(event))
  return words
}

test.each<Binding>(['HTTP+JSON', 'JSONRPC'])(
  'the same octets on the wire and over sockets: %s',
  async (binding) => {
    const stage = createStage()
    /** What the clients were told, by arm: equal octets of unlike conversations would prove nothing. */
    const told: Record<Arm['kind'], unknown[]> = { wire: [], sockets: [] }

    const { wire, sockets } = await playTwice(stage.cast, async (arm) => {
      const tell = (...words: unknown[]) => told[arm.kind].push(words)

      const brisk = await clientOf(arm, 'brisk', binding)
      await arm.mark('agent card')
      const late = await clientOf(arm, 'late', binding)
      const patient = await clientOf(arm, 'patient', binding)
      await arm.mark('two more cards')

      const send = async (client: Client, configuration = {}): Promise<string> => {
        const sent = await client.sendMessage(sendOf({ returnImmediately: true, ...configuration }))
        return (sent as Task).id
      }
      const poll = async (client: Client, id: string, times: number): Promise<void> => {
        for (let n = 0; n < times; n++) tell(stateOf(await client.getTask(GetTaskRequest.fromJSON({ id }))))
      }

      tell(stateOf((await brisk.sendMessage(sendOf())) as Task))
      await arm.mark('send that waits')

      const polled = await send(patient)
      const working = stage.update(0)
      await arm.mark('send')
      await poll(patient, polled, 2)
      await arm.mark('polls before any update')
      await working
      const over = stage.update(2)
      await poll(patient, polled, 3)
      await arm.mark('polls at work')
      await over
      await poll(patient, polled, 1)
      await arm.mark('poll after the end')

      tell(await patient.getTask(GetTaskRequest.fromJSON({ id: 'no-such-task' })).catch(nameOf))
      await arm.mark('an error')

      tell(await wordsOf(brisk.sendMessageStream(sendOf())))
      await arm.mark('stream')

      const id = await send(late)
      await arm.mark('send before subscribe')
      tell(await wordsOf(late.resubscribeTask(SubscribeToTaskRequest.fromJSON({ id }))))
      await arm.mark('subscribe')

      await send(late, { taskPushNotificationConfig: webhookOf(arm) })
      await arm.mark('send with a webhook')
      await stage.posts(JOBS.late.length)
      await arm.mark('its posts')

      await send(brisk, { taskPushNotificationConfig: webhookOf(arm) })
      await stage.posts(JOBS.brisk.length)
      await arm.mark('send with a webhook, posts and all')

      const taskId = await send(late)
      await arm.mark('send before a webhook')
      const created = await late.createTaskPushNotificationConfig(
        TaskPushNotificationConfig.fromJSON({ taskId, ...webhookOf(arm) }),
      )
      await arm.mark('webhook created')
      await stage.posts(JOBS.late.length)
      await arm.mark('posts to the webhook created')

      const reference = { tenant: '', taskId, id: created.id }
      tell((await late.getTaskPushNotificationConfig(reference)).token)
      await arm.mark('webhook asked for')
      const list = { tenant: '', taskId, pageSize: 0, pageToken: '' }
      tell((await late.listTaskPushNotificationConfig(list)).configs.length)
      await arm.mark('webhooks listed')
      await late.deleteTaskPushNotificationConfig(reference)
      await arm.mark('webhook deleted')

      // The agent's last updates find nobody: had it not heard, it would write them all the same.
      let events = 0
      let end: Promise<unknown> | undefined
      for await (const _ of patient.sendMessageStream(sendOf())) {
        end = stage.update(2)
        if (++events === 2) break
      }
      await end
      await arm.mark('stream left after 2 events')

      const controller = new AbortController()
      const broken = patient.sendMessageStream(sendOf(), { signal: controller.signal })
      tell(saysOf((await broken.next()).value as StreamResponse))
      tell(saysOf((await broken.next()).value as StreamResponse))
      end = stage.update(2)
      controller.abort()
      tell(await broken.next().catch(nameOf))
      await end
      await arm.mark('stream aborted after 2 events')
    })

    expect(told.sockets).toEqual([
      ['TASK_STATE_COMPLETED'],
      ['TASK_STATE_SUBMITTED'],
      ['TASK_STATE_SUBMITTED'],
      ['TASK_STATE_WORKING'],
      ['TASK_STATE_WORKING'],
      ['TASK_STATE_WORKING'],
      ['TASK_STATE_COMPLETED'],
      ['TaskNotFoundError'],
      [['task', 'statusUpdate', 'statusUpdate', 'artifactUpdate', 'artifactUpdate', 'statusUpdate']],
      [['task', 'statusUpdate', 'artifactUpdate', 'statusUpdate']],
      ['t'.repeat(32)],
      [1],
      ['task'],
      ['statusUpdate'],
      ['AbortError'],
    ])
    expect(told.wire).toEqual(told.sockets)
    for (const { up, down } of sockets) expect(Math.min(up, down)).toBeGreaterThan(0)
    expect(wire).toEqual(sockets)
  },
)

const nameOf = (error: Error): string => error.name
