import type { Message, StreamResponse } from '../../protocol/a2a.ts'
import { EVENT_STREAM } from '../../protocol/media-types.ts'
import { formatEvent } from '../../protocol/sse.ts'
import { streamOf } from '../streams.ts'
import type { TaskLog } from '../task-log.ts'

/** A reply whose length is known: without `content-length` it would be sent in chunks. */
export const textReply = (text: string, contentType: string, status = 200): Response =>
  new Response(text, {
    status,
    headers: { 'content-type': contentType, 'content-length': String(Buffer.byteLength(text)) },
  })

/** A stream of one event, for an answer that is only a message (specification 3.1.2). */
export const messageReply = (message: Message, write: (event: StreamResponse) => string): Response =>
  new Response(formatEvent(write({ message })), {
    headers: { 'content-type': EVENT_STREAM, 'cache-control': 'no-cache' },
  })

/** A server-sent event stream of the task from now on; `write` gives the JSON of one event. */
export const streamReply = (log: TaskLog, write: (event: StreamResponse) => string): Response =>
  new Response(
    streamOf(log, (event) => formatEvent(write(event))),
    { headers: { 'content-type': EVENT_STREAM, 'cache-control': 'no-cache' } },
  )
