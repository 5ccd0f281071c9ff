/** How the agent takes on a task and carries it out by itself. */
import type { Cancel, Clock } from '../kernel/clock.ts'
import type { Message, TaskPushNotificationConfig, TaskState } from '../protocol/a2a.ts'
import { changeOf, type TaskView, type ViewChange, viewOfTask } from '../protocol/view.ts'
import { wordsOf } from '../protocol/words.ts'
import type { Journal } from '../records/journal.ts'
import type { Activity } from './activity.ts'
import type { Agenda } from './agenda.ts'
import type { Behaviour, Work } from './behaviours/behaviour.ts'
import type { Context } from './contexts.ts'
import { hintAt } from './polling-hint.ts'
import { createPollingPace } from './polling-pace.ts'
import { createPushConfigs, type PushConfigs } from './push-configs.ts'
import { openWebhookChain, type PostWorld } from './push-sender.ts'
import { scriptOf } from './script.ts'
import type { DeliverySettings } from './settings.ts'
import { createTaskLog, type TaskLog } from './task-log.ts'
import { timestampsAfter } from './timestamps.ts'

/** One moment of a task's life: the update that began it, and what the task looks like since. */
export interface Moment {
  /** The update's number in the task's life, which for a job is its number in the scenario; -1 for the task as created. */
  update: number
  change: ViewChange
  view: TaskView
  terminal: boolean
}

export interface AgentTask {
  log: TaskLog
  context: Context
  pushConfigs: PushConfigs
  /** Takes a message to the task: the answer it waits for, or something for its history. */
  hear(message: Message): void
  /** Goes on after AUTH_REQUIRED; false if the task waits for nothing of the kind. */
  authorised(): boolean
  /** Ends the task, which must not be over, and calls off all that was to happen to it. */
  cancel(): void
  /** A poll has come. @throws A2AError if it came too soon after the one before */
  polled(): void
  /** The wait the agent suggests before the next poll; `undefined` for none, as when the task is over. */
  hintUs: () => number | undefined
  /** Whether the time is over for which it is kept. */
  isExpired(): boolean
  /** Forgets it: what was to happen to it is called off, its webhooks go, whoever follows is told. */
  delete(): void
}

export interface TaskWorld {
  clock: Clock
  behaviour: Behaviour
  /** Ids for tasks, contexts, messages and configurations. */
  ids: () => string
  journal: Journal
  agenda: Agenda
  activity: Activity
  onMoment: (moment: Moment) => void
  settings: Pick<DeliverySettings, 'polling' | 'ttl'>
  /** How webhook posts are made; absent where the agent does not push. */
  posts: PostWorld | undefined
}

/** What a new task is made of. */
export interface Commission {
  taskId: string
  context: Context
  message: Message
  work: Work
  webhook: TaskPushNotificationConfig | undefined
}

/**
 * Creates a task, SUBMITTED, and puts the work on the agenda. A webhook is
 * registered before the first change.
 */
export function beginTask(world: TaskWorld, commission: Commission): AgentTask {
  const { clock, ids, agenda, journal, activity, settings } = world
  const { taskId, context, message, work, webhook } = commission
  const contextId = context.id
  const createdUs = clock.nowUs()
  const log = createTaskLog(
    {
      id: taskId,
      contextId,
      status: { state: 'TASK_STATE_SUBMITTED', timestamp: clock.dateOf(createdUs).toISOString() },
      history: [{ ...message, contextId, taskId }],
    },
    clock,
  )
  const begun = viewOfTask(log.snapshot())
  world.onMoment({ update: -1, change: { of: 'task', view: begun }, view: begun, terminal: false })

  // The facts come first: nobody may learn of an update that has not happened.
  let happened = 0
  log.follow((event, snapshot) => {
    const change = changeOf(event)
    if (change === undefined) return
    const update = happened++
    const terminal = log.isOver()
    world.onMoment({ update, change, view: viewOfTask(snapshot), terminal })
    journal.append({
      kind: 'happened',
      atUs: clock.nowUs(),
      update,
      change: wordsOf(event),
      topic: change.of === 'artifact' ? `artifact ${change.artifactId}` : 'status',
      replaces: change.of !== 'artifact' || !change.append,
      message: 'statusUpdate' in event && event.statusUpdate.status.message !== undefined,
      terminal,
    })
  })

  const { ttl } = settings
  let expiresUs = ttl?.from === 'creation' ? createdUs + ttl.afterUs : Infinity
  let isDeleted = false

  const pushConfigs = createPushConfigs(taskId, ids, (config, remove) => {
    if (world.posts === undefined) throw new Error('an agent that does not push was given a webhook')
    return openWebhookChain(config, world.posts, { untilUs: () => expiresUs, remove })
  })
  const paceOf = createPollingPace(settings.polling, world)

  let resume: Work['resume']
  let callOff: Cancel = () => {}

  function carryOut({ known, resume: next, steps, authorisedAfterUs }: Work): void {
    context.known = known
    resume = next
    const startUs = clock.nowUs()
    const script = scriptOf(steps, { taskId, contextId, status: log.snapshot().status }, startUs, world)
    const due = script.map(({ dueUs, from, event }) => ({ dueUs, act: () => log.append(event, from) }))
    const pauseUs = due.at(-1)?.dueUs ?? startUs
    if (authorisedAfterUs !== undefined)
      due.push({ dueUs: pauseUs + authorisedAfterUs, act: () => void authorised() })
    callOff = agenda.add(due)
  }

  /** Gives the task a state at once, without a word. */
  function move(to: TaskState): void {
    const { state: from, timestamp } = log.snapshot().status
    const status = { state: to, timestamp: timestampsAfter(timestamp as string, clock)(clock.nowUs()) }
    log.append({ statusUpdate: { taskId, contextId, status } }, from)
  }

  /** How the task goes on after `pause`; `undefined` if that is not what it waits for. */
  const afterPause = (pause: TaskState) => (log.snapshot().status.state === pause ? resume : undefined)

  function goOn(next: NonNullable<Work['resume']>, answer: Message | undefined): void {
    callOff()
    move('TASK_STATE_WORKING')
    carryOut(next(answer))
  }

  function authorised(): boolean {
    const next = afterPause('TASK_STATE_AUTH_REQUIRED')
    if (next !== undefined) goOn(next, undefined)
    return next !== undefined
  }

  carryOut(work)
  if (webhook !== undefined) pushConfigs.create(webhook)
  log.follow((event) => pushConfigs.notify(event))

  // Once a task is over its deletion is nothing the agent does: it is found expired.
  const keep = expiresUs === Infinity ? () => {} : agenda.add([{ dueUs: expiresUs, act: deleteIt }])
  const quiet = activity.begin()
  const settle = log.follow(() => {
    if (!log.isOver()) return
    if (ttl?.from === 'completion') expiresUs = clock.nowUs() + ttl.afterUs
    settle()
    keep()
    quiet()
  })

  function deleteIt(): void {
    if (isDeleted) return
    isDeleted = true
    if (!log.isOver()) quiet()
    callOff()
    keep()
    pushConfigs.clear()
    log.delete()
  }

  return {
    log,
    context,
    pushConfigs,
    hear(heard) {
      const said = { ...heard, contextId, taskId }
      const next = afterPause('TASK_STATE_INPUT_REQUIRED')
      // A question stands in the status until it is answered; with its answer it becomes history.
      const question = next && log.snapshot().status.message
      log.hear(question === undefined ? [said] : [question, said])
      if (next !== undefined) goOn(next, said)
    },
    authorised,
    cancel() {
      callOff()
      move('TASK_STATE_CANCELED')
    },
    polled: paceOf,
    hintUs() {
      if (log.isOver()) return undefined
      return work.pollHintUs ?? hintAt(settings.polling.hints, clock.nowUs() - createdUs)
    },
    isExpired: () => isDeleted || clock.nowUs() >= expiresUs,
    delete: deleteIt,
  }
}
