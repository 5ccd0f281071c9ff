import type { Artifact, StreamResponse, Task } from './a2a.ts'

/**
 * A task after one more event: the reduction that makes a snapshot out of
 * updates. Nothing given is changed; what did not change is shared.
 *
 * A status replaces the one before it, and the replaced status message is gone:
 * it is not moved to the history. An artifact chunk with `append` adds its
 * parts to the artifact of that id, or begins it; without, it replaces it whole.
 */
export function fold(task: Task, event: StreamResponse): Task {
  if ('task' in event) return event.task
  if ('statusUpdate' in event) return { ...task, status: event.statusUpdate.status }
  if ('artifactUpdate' in event) {
    const { artifact, append } = event.artifactUpdate
    return { ...task, artifacts: withChunk(task.artifacts ?? [], artifact, append === true) }
  }
  return task
}

function withChunk(artifacts: readonly Artifact[], chunk: Artifact, append: boolean): Artifact[] {
  const at = artifacts.findIndex(({ artifactId }) => artifactId === chunk.artifactId)
  const held = artifacts[at]
  if (held === undefined) return [...artifacts, chunk]
  return artifacts.with(at, append ? { ...held, ...chunk, parts: [...held.parts, ...chunk.parts] } : chunk)
}
