import type { Clock } from '../kernel/clock.ts'
import { US_PER_MS } from '../kernel/units.ts'
import type { Message, Part, StreamResponse, TaskState, TaskStatus } from '../protocol/a2a.ts'
import { WIRE_STATE } from '../protocol/states.ts'
import type { Change, Job } from '../scenario/scenario.ts'
import { partOf } from './content.ts'
import { type Brief, shortlistAsData, shortlistAsText } from './venues.ts'

/** One change the agent will make to its task by itself, ready to be made. */
export interface DueChange {
  dueUs: number
  /** Its number in the scenario, from 0. */
  update: number
  /** The state in which the change before it leaves the task. */
  from: TaskState
  event: StreamResponse
}

export interface Assignment {
  taskId: string
  contextId: string
  /** When the agent received the send: the job's time counts from here. */
  startUs: number
  brief: Brief
}

/**
 * What a job comes to for one task: its changes in file order. Everything is
 * settled here, message ids and timestamps included, so it cannot matter when
 * and by whom a change is made.
 */
export function scriptOf(
  job: Job,
  { taskId, contextId, startUs, brief }: Assignment,
  { ids, clock }: { ids: () => string; clock: Pick<Clock, 'dateOf'> },
): DueChange[] {
  const timestampOf = distinctTimestamps(clock, startUs)

  function statusOf(change: Change & { of: 'status' }, dueUs: number): TaskStatus {
    const state = WIRE_STATE[change.state]
    if (change.content === undefined) return { state, timestamp: timestampOf(state, dueUs) }
    const message: Message = {
      messageId: ids(),
      contextId,
      role: 'ROLE_AGENT',
      parts: [partOf(change.content)],
    }
    return { state, message, timestamp: clock.dateOf(dueUs).toISOString() }
  }

  let state: TaskState = 'TASK_STATE_SUBMITTED'
  return job.updates.map(({ atUs, change }, update) => {
    const dueUs = startUs + atUs
    const from = state
    switch (change.of) {
      case 'status':
        state = WIRE_STATE[change.state]
        return {
          dueUs,
          update,
          from,
          event: { statusUpdate: { taskId, contextId, status: statusOf(change, dueUs) } },
        }
      case 'artifact': {
        const artifact = { artifactId: change.artifact, parts: [chunkOf(change, brief)] }
        return {
          dueUs,
          update,
          from,
          event: {
            artifactUpdate: {
              taskId,
              contextId,
              artifact,
              // ProtoJSON leaves out what is at its default.
              ...(change.append && { append: true }),
              ...(change.lastChunk && { lastChunk: true }),
            },
          },
        }
      }
    }
  })
}

/** What the scenario leaves open the venue finder fills: first words, then data. */
function chunkOf({ content, append }: Change & { of: 'artifact' }, brief: Brief): Part {
  if (content !== undefined) return partOf(content)
  return append ? shortlistAsData(brief) : shortlistAsText(brief)
}

/**
 * Timestamps that tell statuses without a message apart: the same state again
 * within a millisecond is stamped a millisecond later than the one before it,
 * else nobody who polls could know which of the two was seen. The task begins
 * SUBMITTED without a message.
 */
function distinctTimestamps(
  clock: Pick<Clock, 'dateOf'>,
  startUs: number,
): (state: TaskState, dueUs: number) => string {
  const lastMs = new Map<TaskState, number>([['TASK_STATE_SUBMITTED', Math.floor(startUs / US_PER_MS)]])
  return (state, dueUs) => {
    const ms = Math.max(Math.floor(dueUs / US_PER_MS), (lastMs.get(state) ?? -1) + 1)
    lastMs.set(state, ms)
    return clock.dateOf(ms * US_PER_MS).toISOString()
  }
}
