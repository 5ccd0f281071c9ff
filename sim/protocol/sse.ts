/** What stands beside the data of one event (WHATWG, server-sent events); none of it is A2A's. */
export interface EventLines {
  /** Where a reader stands who has this event: what `Last-Event-ID` names. */
  id?: string | undefined
  /** How long to wait before a reconnect, in ms. */
  retryMs?: number | undefined
}

/** One server-sent event holding `data`: 8 octets of framing around it (specification 9.4.2, 11.7), and what its other lines take. */
export function formatEvent(data: string, { id, retryMs }: EventLines = {}): string {
  const retryLine = retryMs === undefined ? '' : `retry: ${retryMs}\n`
  const idLine = id === undefined ? '' : `id: ${id}\n`
  return `${retryLine}${idLine}data: ${data}\n\n`
}

/** The least a comment takes: a colon and the blank line. */
export const COMMENT_OCTETS_MIN = 3

/**
 * A comment of exactly so many octets, which no reader takes for an event: it
 * only proves that the stream lives. Of 8 octets it is `: ping`.
 *
 * @throws RangeError for fewer octets than a comment takes
 */
export function commentOf(octets: number): string {
  if (!Number.isInteger(octets) || octets < COMMENT_OCTETS_MIN)
    throw new RangeError(
      `a heartbeat is a comment of ${COMMENT_OCTETS_MIN} octets or more (a colon and a blank line), not of ${octets}`,
    )
  const room = octets - COMMENT_OCTETS_MIN
  return `:${' ping'.padEnd(room, '.').slice(0, room)}\n\n`
}

/** The data of one framed event; `undefined` for a comment, which only keeps the stream alive. */
export function dataOf(chunk: string): string | undefined {
  const lines = chunk.split('\n').filter((line) => line.startsWith('data:'))
  if (lines.length === 0) return undefined
  return lines.map((line) => line.slice('data:'.length).trimStart()).join('\n')
}
