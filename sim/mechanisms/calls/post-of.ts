import type { StreamResponse } from '../../protocol/a2a.ts'
import { changeOf } from '../../protocol/view.ts'
import type { Post } from '../client-world.ts'
import type { BegunTask } from '../mechanism.ts'

/** What the body of a webhook post tells; `undefined` if it is not about a task. */
export function postOf(body: unknown, exchange: number | undefined): Post | undefined {
  const event = body as StreamResponse
  const change = changeOf(event)
  return change && { change, task: taskOf(event), exchange }
}

function taskOf(event: StreamResponse): BegunTask {
  if ('task' in event) return { taskId: event.task.id, contextId: event.task.contextId ?? '' }
  if ('statusUpdate' in event) return idsOf(event.statusUpdate)
  if ('artifactUpdate' in event) return idsOf(event.artifactUpdate)
  return idsOf(event.message)
}

const idsOf = ({ taskId = '', contextId = '' }: Partial<BegunTask>): BegunTask => ({ taskId, contextId })
