import { chunkFramingOctets, LAST_CHUNK_OCTETS, type SentBody } from './octets.ts'
import type { Recording } from './recording.ts'
import type { Sending } from './sending.ts'

/** Where a body that comes piece by piece goes. */
export interface UploadTo {
  /** Nobody wants the rest any more once this is false. */
  wanted(): boolean
  head(body: SentBody): void
  octets(chunk: Uint8Array): void
  /** All of it has been read; nothing is sent by this. */
  read(text: string): void
  end(): void
}

export interface Upload {
  /** Resolves when all is sent or nobody wants it. @throws what the source throws */
  send(): Promise<void>
  cancel(reason: unknown): void
}

/**
 * Sends a body as its source gives it, and counts it. The head goes with the
 * first octet, as Node does, because a stream may turn out to be empty.
 */
export function createUpload(
  { source, framing }: Extract<Sending['body'], { kind: 'upload' }>,
  { octets }: Recording['record'],
  to: UploadTo,
): Upload {
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined
  return {
    async send() {
      const decoder = new TextDecoder()
      let text = ''
      let begun = false
      reader = source.getReader()
      for (;;) {
        const { done, value: chunk } = await reader.read()
        if (!to.wanted()) return
        if (done) break
        if (chunk.byteLength === 0) continue
        if (!begun) to.head('chunked')
        begun = true
        octets.requestBody += chunk.byteLength
        if (framing !== 'none') octets.requestHead += chunkFramingOctets(chunk.byteLength)
        text += decoder.decode(chunk, { stream: true })
        to.octets(chunk)
      }
      to.read(text)
      if (!begun) to.head('none')
      if (framing === 'chunks' || (begun && framing === 'chunks unless empty'))
        octets.requestHead += LAST_CHUNK_OCTETS
      to.end()
    },
    cancel: (reason) => void reader?.cancel(reason).catch(() => {}),
  }
}
