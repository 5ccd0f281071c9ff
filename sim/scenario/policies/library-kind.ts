/** The kinds of policies a library holds, by the key of an entry. */

/** What an entry is, in messages. */
export const LIBRARY_KINDS = {
  poll: 'a polling policy',
  blocking: 'a blocking policy',
  reconnect: 'a reconnect policy',
  heartbeat: 'a heartbeat',
  retry: 'a webhook retry schedule',
  hop: 'a hop',
  client: 'a set of client limits',
} as const

export type LibraryKind = keyof typeof LIBRARY_KINDS
