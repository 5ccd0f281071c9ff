import type { StreamResponse, TaskPushNotificationConfig } from '../protocol/a2a.ts'
import { A2AError } from '../protocol/errors.ts'
import type { WebhookChain } from './push-sender.ts'

export type StoredPushConfig = TaskPushNotificationConfig & { taskId: string; id: string }

/** The webhooks of one task, in the order they were registered, each with its own chain of posts. */
export interface PushConfigs {
  /** Registers a webhook under its own id or a new one. An id that exists already gets the new webhook. */
  create(config: TaskPushNotificationConfig): StoredPushConfig
  /** @throws A2AError TaskNotFoundError, which the specification gives for a missing configuration too (3.1.8) */
  get(id: string): StoredPushConfig
  list(): StoredPushConfig[]
  /** Harmless if there is none (3.1.10). */
  remove(id: string): void
  /** Posts an event to every webhook. */
  notify(event: StreamResponse): void
  /** Drops every post that is not yet made; the webhooks stay. */
  forgetPosts(): void
  /** Removes all of them. */
  clear(): void
}

export function createPushConfigs(
  taskId: string,
  ids: () => string,
  openChain: (config: TaskPushNotificationConfig, remove: () => void) => WebhookChain,
): PushConfigs {
  const entries = new Map<string, { config: StoredPushConfig; chain: WebhookChain }>()

  function remove(id: string): void {
    entries.get(id)?.chain.close()
    entries.delete(id)
  }

  return {
    create(given) {
      const config = { taskId, id: given.id ?? ids(), ...withoutId(given) }
      remove(config.id)
      entries.set(config.id, { config, chain: openChain(config, () => remove(config.id)) })
      return config
    },
    get(id) {
      const entry = entries.get(id)
      if (entry === undefined)
        throw new A2AError('TaskNotFoundError', 'Task or push notification configuration not found')
      return entry.config
    },
    list: () => [...entries.values()].map(({ config }) => config),
    remove,
    notify(event) {
      for (const { chain } of entries.values()) chain.post(event)
    },
    forgetPosts() {
      for (const { chain } of entries.values()) chain.forget()
    },
    clear() {
      for (const id of entries.keys()) remove(id)
    },
  }
}

function withoutId({ id: _id, taskId: _taskId, ...rest }: TaskPushNotificationConfig) {
  return rest
}
