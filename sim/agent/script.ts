import type { Clock } from '../kernel/clock.ts'
import type { StreamResponse, TaskState, TaskStatus } from '../protocol/a2a.ts'
import { WIRE_STATE } from '../protocol/states.ts'
import type { Step } from './behaviours/behaviour.ts'
import { timestampsAfter } from './timestamps.ts'

/** One change the agent will make to its task by itself, ready to be made. */
export interface DueChange {
  dueUs: number
  /** The state in which the change before it leaves the task. */
  from: TaskState
  event: StreamResponse
}

/**
 * What steps come to for one task, in their order. Everything is settled here,
 * message ids and timestamps included, so it cannot matter when and by whom a
 * change is made.
 *
 * @param task the task as the steps find it
 * @param startUs the instant the steps count from
 */
export function scriptOf(
  steps: readonly Step[],
  task: { taskId: string; contextId: string; status: TaskStatus },
  startUs: number,
  { ids, clock }: { ids: () => string; clock: Pick<Clock, 'dateOf'> },
): DueChange[] {
  const { taskId, contextId, status } = task
  const timestampOf = timestampsAfter(status.timestamp as string, clock)
  let { state } = status

  function statusOf({ says }: Step & { of: 'status' }, dueUs: number): TaskStatus {
    const timestamp = timestampOf(dueUs)
    if (says === undefined) return { state, timestamp }
    return { state, message: { messageId: ids(), contextId, role: 'ROLE_AGENT', parts: says }, timestamp }
  }

  return steps.map((step) => {
    const dueUs = startUs + step.atUs
    const from = state
    switch (step.of) {
      case 'status':
        state = WIRE_STATE[step.state]
        return { dueUs, from, event: { statusUpdate: { taskId, contextId, status: statusOf(step, dueUs) } } }
      case 'artifact': {
        const { artifact, append, lastChunk } = step
        return {
          dueUs,
          from,
          event: {
            artifactUpdate: {
              taskId,
              contextId,
              artifact,
              // ProtoJSON leaves out what is at its default.
              ...(append && { append: true }),
              ...(lastChunk && { lastChunk: true }),
            },
          },
        }
      }
    }
  })
}
