import type { Cancel, Clock } from '../kernel/clock.ts'
import type { StreamResponse } from '../protocol/a2a.ts'
import { SSE_HEARTBEAT } from '../protocol/sse.ts'
import { isTerminal } from '../protocol/states.ts'
import type { TaskLog } from './task-log.ts'

const ENCODER = new TextEncoder()

export interface StreamSettings {
  /**
   * Whether a stream ends with the event by which the task asks for input. The
   * specification says both (3.1.6, 11.7). A snapshot that shows a question
   * never ends a stream, nor does anything about AUTH_REQUIRED (7.6.1).
   */
  closeOnInput: boolean
  /** After so long a silence a comment is sent; absent: none ever. */
  heartbeatUs?: number
  /**
   * How many events may wait for a slow reader. One more, and the stream is
   * closed instead: the reader gets what waits, finds that the task is not over,
   * and subscribes again. Absent: any number.
   */
  buffer?: number
}

export const USUAL_STREAMS: StreamSettings = { closeOnInput: true }

/**
 * A task from now on: its snapshot, then every update as it is made, one chunk
 * each, and the end right after the terminal one. A reader that goes away only
 * takes itself off the list.
 *
 * @param frame the octets of one event, as the binding writes them
 */
export function streamOf(
  log: TaskLog,
  frame: (event: StreamResponse) => string,
  { closeOnInput, heartbeatUs, buffer }: StreamSettings,
  clock: Clock,
): ReadableStream<Uint8Array> {
  let unfollow = () => {}
  let calm: Cancel = () => {}

  function leave(): void {
    unfollow()
    calm()
  }

  const endsWith = (event: StreamResponse): boolean => {
    if (!('statusUpdate' in event)) return false
    const { state } = event.statusUpdate.status
    return isTerminal(state) || (closeOnInput && state === 'TASK_STATE_INPUT_REQUIRED')
  }

  return new ReadableStream(
    {
      start(controller) {
        function end(): void {
          leave()
          controller.close()
        }

        /** False if there was no room: then the stream is closed. */
        function send(text: string): boolean {
          if (buffer !== undefined && (controller.desiredSize ?? 0) <= 0) {
            end()
            return false
          }
          controller.enqueue(ENCODER.encode(text))
          calm()
          if (heartbeatUs !== undefined)
            calm = clock.at(clock.nowUs() + heartbeatUs, () => send(SSE_HEARTBEAT))
          return true
        }

        send(frame({ task: log.snapshot() }))
        unfollow = log.follow((event) => {
          if (send(frame(event)) && endsWith(event)) end()
        })
      },
      cancel: leave,
    },
    buffer === undefined ? undefined : { highWaterMark: buffer },
  )
}
