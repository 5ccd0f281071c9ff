import type { StreamArrival } from '../records/record.ts'

export const isEventStream = (headers: Headers): boolean =>
  headers.get('content-type')?.toLowerCase().startsWith('text/event-stream') === true

const decoder = new TextDecoder()

/**
 * What one chunk of a `text/event-stream` is worth in the records. Writers send
 * one event or one comment per chunk, so a chunk counts once.
 *
 * @param says the words of an event, given its text
 */
export function arrivalOf(chunk: Uint8Array, atUs: number, says: (event: string) => string): StreamArrival {
  const text = decoder.decode(chunk)
  if (!text.startsWith(':')) return { atUs, of: 'event', says: says(text) }
  return { atUs, of: 'heartbeat', says: text.slice(1).trim() }
}
