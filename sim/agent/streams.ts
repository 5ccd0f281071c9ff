import type { StreamResponse } from '../protocol/a2a.ts'
import type { TaskLog } from './task-log.ts'

const ENCODER = new TextEncoder()

/**
 * A task from now on: its snapshot, then every update as it is made, one chunk
 * each, and the end right after the terminal one. A reader that goes away only
 * takes itself off the list.
 *
 * @param frame the octets of one event, as the binding writes them
 */
export function streamOf(log: TaskLog, frame: (event: StreamResponse) => string): ReadableStream<Uint8Array> {
  let unfollow = () => {}
  return new ReadableStream({
    start(controller) {
      const send = (event: StreamResponse) => controller.enqueue(ENCODER.encode(frame(event)))
      send({ task: log.snapshot() })
      unfollow = log.follow((event) => {
        send(event)
        if (!log.isOver()) return
        unfollow()
        controller.close()
      })
    },
    cancel() {
      unfollow()
    },
  })
}
