import type { StreamArrival } from '../records/record.ts'

export const isEventStream = (headers: Headers): boolean =>
  headers.get('content-type')?.toLowerCase().startsWith('text/event-stream') === true

/** Takes the next octets of a stream and tells what has arrived whole with them. */
export type EventReader = (chunk: Uint8Array, atUs: number) => StreamArrival[]

/**
 * Reads one `text/event-stream`. An event is whole with its blank line, however
 * the octets are cut into chunks on the way; one that is never ended never
 * arrived (WHATWG: it is discarded). A block of nothing but comments is a
 * heartbeat.
 *
 * @param says the words of an event, given its text with the blank line
 */
export function createEventReader(says: (event: string) => string): EventReader {
  const decoder = new TextDecoder()
  let rest = ''
  return (chunk, atUs) => {
    rest += decoder.decode(chunk, { stream: true })
    const blocks = rest.split(/(?<=\r\n\r\n|\n\n|\r\r)/)
    rest = /(?:\r\n\r\n|\n\n|\r\r)$/.test(blocks.at(-1) ?? '') ? '' : (blocks.pop() ?? '')
    return blocks.map((block) => {
      const lines = block.split(/\r\n|\n|\r/).filter((line) => line !== '')
      return lines.every((line) => line.startsWith(':'))
        ? { atUs, of: 'heartbeat', says: lines.map((line) => line.slice(1).trim()).join(' ') }
        : { atUs, of: 'event', says: says(block) }
    })
  }
}
