/**
 * Reads along while somebody else parses a `text/event-stream`: a parser that
 * knows data alone hides ids, comments and `retry:` lines from its users.
 */
export interface EventWatch {
  /** The next octets; `''` for an answer's head. */
  hear(text: string): void
  /** The id of each event that was dispatched, in order; to be asked once for every event the parser gives. */
  idOfNext(): string | undefined
}

export function createEventWatch(onSign: (sign: { retryUs: number | undefined }) => void): EventWatch {
  const ids: (string | undefined)[] = []
  /** The last id there was: it stays that of all further events (WHATWG HTML, 9.2.6). */
  let id: string | undefined
  let hasData = false
  let rest = ''

  function readLine(line: string): number | undefined {
    if (line === '') {
      if (hasData) ids.push(id)
      hasData = false
      return undefined
    }
    const [, field = '', value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? []
    if (field === 'data' && value !== '') hasData = true
    if (field === 'id' && !value.includes('\0')) id = value === '' ? undefined : value
    return field === 'retry' && /^\d+$/.test(value) ? Number(value) * 1000 : undefined
  }

  return {
    hear(text) {
      const lines = (rest + text).split('\n')
      rest = lines.pop() ?? ''
      let retryUs: number | undefined
      for (const line of lines) retryUs = readLine(line.replace(/\r$/, '')) ?? retryUs
      onSign({ retryUs })
    },
    idOfNext: () => ids.shift(),
  }
}

/**
 * The same octets in the same pieces. They are heard when they arrive, however
 * slowly the body is read; whoever cancels it cancels the original.
 */
export function watchedBody(body: ReadableStream<Uint8Array>, watch: EventWatch): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  watch.hear('')
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await reader.read()
        if (done) {
          controller.close()
          return
        }
        watch.hear(decoder.decode(value, { stream: true }))
        controller.enqueue(value)
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: Infinity },
  )
}
