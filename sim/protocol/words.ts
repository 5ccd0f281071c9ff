import type { StreamResponse } from './a2a.ts'
import { wordOfState } from './states.ts'

/** What happened to a task: `task` for a snapshot, a status as scenarios write it, or `artifact venues-shortlist`. */
export function wordsOf(event: StreamResponse): string {
  if ('task' in event) return 'task'
  if ('message' in event) return 'message'
  if ('statusUpdate' in event) return wordOfState(event.statusUpdate.status.state)
  return `artifact ${event.artifactUpdate.artifact.artifactId}`
}
