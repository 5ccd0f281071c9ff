/** One server-sent event holding `data`: 8 octets of framing around it (specification 9.4.2, 11.7). */
export const formatEvent = (data: string): string => `data: ${data}\n\n`

/** A comment, which no reader takes for an event: it only proves that the stream lives. */
export const SSE_HEARTBEAT = ': heartbeat\n\n'

/** The data of one framed event; `undefined` for a comment, which only keeps the stream alive. */
export function dataOf(chunk: string): string | undefined {
  const lines = chunk.split('\n').filter((line) => line.startsWith('data:'))
  if (lines.length === 0) return undefined
  return lines.map((line) => line.slice('data:'.length).trimStart()).join('\n')
}
