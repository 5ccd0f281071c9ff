/** Watches a client's requests for whether any of them may have begun a task. */

export interface SendWatch {
  fetch: typeof fetch
  /** True once the agent may have acted on a request, one under way included. Then another send might begin a second task. */
  mayHaveBegun: () => boolean
}

/** The statuses by which a door turns requests away before anybody acts on them. */
const TURNED_AWAY = new Set([429, 503])

/** Why a request never left: there was no connection. */
const NEVER_LEFT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN'])

/** Only POSTs begin anything: what a client gets, such as a card, does not. */
export function watchSends(through: typeof fetch): SendWatch {
  let begun = false
  let underWay = 0
  return {
    mayHaveBegun: () => begun || underWay > 0,
    async fetch(input, init) {
      const method = init?.method ?? (input instanceof Request ? input.method : 'GET')
      if (method !== 'POST') return through(input, init)
      underWay += 1
      try {
        const response = await through(input, init)
        begun ||= !TURNED_AWAY.has(response.status)
        return response
      } catch (error) {
        begun ||= !neverLeft(error)
        throw error
      } finally {
        underWay -= 1
      }
    },
  }
}

function neverLeft(error: unknown): boolean {
  const code = error instanceof Error ? (error.cause as { code?: unknown } | undefined)?.code : undefined
  return typeof code === 'string' && NEVER_LEFT.has(code)
}
