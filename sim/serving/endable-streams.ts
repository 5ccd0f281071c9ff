import type { Handler } from '../network/network.ts'
import { EVENT_STREAM } from '../protocol/media-types.ts'

/**
 * A handler whose event streams can be brought to an end from outside. To their
 * readers that is an end like any other: no error, nothing cut in the middle of
 * an event.
 */
export function endableStreams(handle: Handler): { handle: Handler; end: () => void } {
  const open = new Set<() => void>()

  function endable(source: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
    const reader = source.getReader()
    let end = () => {}
    return new ReadableStream<Uint8Array>(
      {
        start(controller) {
          end = () => {
            open.delete(end)
            controller.close()
            reader.cancel().catch(() => {})
          }
          open.add(end)
        },
        async pull(controller) {
          const { done, value } = await reader.read().catch((error: unknown) => {
            open.delete(end)
            throw error
          })
          if (!open.has(end)) return
          if (done) end()
          else controller.enqueue(value)
        },
        cancel(reason) {
          open.delete(end)
          return reader.cancel(reason)
        },
      },
      // Nothing waits here: a slow reader's events stay in the agent's own queue.
      { highWaterMark: 0 },
    )
  }

  return {
    async handle(request) {
      const response = await handle(request)
      if (response.body === null || response.headers.get('content-type') !== EVENT_STREAM) return response
      return new Response(endable(response.body), response)
    },
    end() {
      for (const end of open) end()
    },
  }
}
