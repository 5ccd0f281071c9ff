/** A body whose octets are still on their way when its reader begins to read. */
export interface IncomingBody {
  stream: ReadableStream<Uint8Array>
  arrive(chunk: Uint8Array): void
  /** The whole body has arrived. */
  finish(): void
  /** Nothing more will come; the reader still gets what came before. */
  breakOff(error: Error): void
  /** The reader itself wants no more: what it has not read is gone. */
  abandon(reason: unknown): void
}

/**
 * Keeps whatever arrives until it is read, however slow the reader is.
 *
 * @param onCancel the reader cancelled before the body had ended
 */
export function createIncomingBody(onCancel: (reason: unknown) => void): IncomingBody {
  const arrived: Uint8Array[] = []
  let end: { error: Error | undefined } | undefined
  let over = false
  /** A reader waits and nothing is there to give. */
  let wanted = false
  let controller!: ReadableByteStreamController

  function finishOrFail({ error }: { error: Error | undefined }): void {
    over = true
    if (error !== undefined) {
      controller.error(error)
      return
    }
    controller.close()
    // A reader with a buffer of its own waits for this before it sees the end.
    controller.byobRequest?.respond(0)
  }

  function endWith(how: { error: Error | undefined }): void {
    if (over || end !== undefined) return
    end = how
    if (arrived.length === 0) finishOrFail(end)
  }

  // A byte stream takes the memory of what it is given, hence the copies.
  const stream = new ReadableStream({
    type: 'bytes',
    start(itsController) {
      controller = itsController
    },
    pull() {
      const next = arrived.shift()
      if (next === undefined) {
        wanted = true
        return
      }
      controller.enqueue(next)
      if (arrived.length === 0 && end !== undefined) finishOrFail(end)
    },
    cancel(reason) {
      over = true
      arrived.length = 0
      if (end === undefined) onCancel(reason)
    },
  })

  return {
    stream,
    arrive(chunk) {
      if (over || end !== undefined) return
      if (!wanted) {
        arrived.push(chunk.slice())
        return
      }
      wanted = false
      controller.enqueue(chunk.slice())
    },
    finish: () => endWith({ error: undefined }),
    breakOff: (error) => endWith({ error }),
    abandon(reason) {
      if (over) return
      over = true
      arrived.length = 0
      controller.error(reason)
    },
  }
}
