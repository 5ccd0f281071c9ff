/** How the agent takes on a task and carries it out by itself. */
import type { Clock } from '../kernel/clock.ts'
import type { Message, TaskPushNotificationConfig } from '../protocol/a2a.ts'
import { changeOf, type TaskView, type ViewChange, viewOfTask } from '../protocol/view.ts'
import { wordsOf } from '../protocol/words.ts'
import type { Journal } from '../records/journal.ts'
import type { Job } from '../scenario/scenario.ts'
import type { Agenda } from './agenda.ts'
import { scriptOf } from './job-script.ts'
import { createPushConfigs, type PushConfigs } from './push-configs.ts'
import { openWebhookChain } from './push-sender.ts'
import { createTaskLog, type TaskLog } from './task-log.ts'
import { briefOf } from './venues.ts'

/** One moment of a task's life: the update that began it, and what the task looks like since. */
export interface Moment {
  /** The update's number in the scenario; -1 for the task as created. */
  update: number
  change: ViewChange
  view: TaskView
  terminal: boolean
}

export interface AgentTask {
  log: TaskLog
  pushConfigs: PushConfigs
}

export interface TaskWorld {
  clock: Clock
  job: Job
  /** Ids for tasks, contexts, messages and configurations. */
  ids: () => string
  fetch: typeof globalThis.fetch
  journal: Journal
  agenda: Agenda
  onMoment: (moment: Moment) => void
}

/**
 * Creates the task that a message asks for, SUBMITTED, and puts the job's
 * changes on the agenda. A webhook is registered before the first of them.
 */
export function beginTask(
  world: TaskWorld,
  message: Message,
  webhook: TaskPushNotificationConfig | undefined,
): AgentTask {
  const { clock, ids, agenda, journal } = world
  const startUs = clock.nowUs()
  const taskId = ids()
  const contextId = message.contextId ?? ids()
  const log = createTaskLog({
    id: taskId,
    contextId,
    status: { state: 'TASK_STATE_SUBMITTED', timestamp: clock.dateOf(startUs).toISOString() },
    history: [{ ...message, contextId, taskId }],
  })
  const begun = viewOfTask(log.snapshot())
  world.onMoment({ update: -1, change: { of: 'task', view: begun }, view: begun, terminal: false })

  const assignment = { taskId, contextId, startUs, brief: briefOf(message) }
  const script = scriptOf(world.job, assignment, { ids, clock })
  const entries = new Map(script.map((entry) => [entry.event, entry]))
  // The facts come first: nobody may learn of an update that has not happened.
  log.follow((event, snapshot) => {
    const change = changeOf(event)
    const entry = entries.get(event)
    if (change === undefined || entry === undefined) return
    const terminal = log.isOver()
    world.onMoment({ update: entry.update, change, view: viewOfTask(snapshot), terminal })
    journal.append({
      kind: 'happened',
      atUs: entry.dueUs,
      update: entry.update,
      change: wordsOf(event),
      of: 'statusUpdate' in event ? 'status' : 'artifact',
      terminal,
    })
  })

  const pushConfigs = createPushConfigs(taskId, ids, (config) => openWebhookChain(config, world))
  if (webhook !== undefined) pushConfigs.create(webhook)
  log.follow((event) => pushConfigs.notify(event))

  agenda.add(script.map(({ dueUs, from, event }) => ({ dueUs, act: () => log.append(event, from) })))
  return { log, pushConfigs }
}
