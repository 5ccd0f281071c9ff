/** What one exchange leaves in the journal. Octets are counted when they are written, by whichever side. */
import type { Journal } from '../records/journal.ts'
import type { ExchangeRecord } from '../records/record.ts'
import { chunkFramingOctets, LAST_CHUNK_OCTETS, responseHeadOctets } from './octets.ts'

/** What is known of an exchange when it begins. */
export type Beginning = Pick<ExchangeRecord, 'number' | 'from' | 'to' | 'operation' | 'startUs'>

export interface Recording {
  /** As it stands; the journal has it once it has ended. Octets may be written after that and count. */
  readonly record: ExchangeRecord
  /** Counts the head of an answer to this method. */
  answerHead(method: string, toClose: boolean, response: Response): void
  /** Counts octets of an answer's body. */
  answerBody(octets: number, chunked: boolean): void
  /** Counts the last chunk of a chunked body. */
  lastChunk(): void
  /** Nothing was written after all: there was no connection. */
  neverConnected(): void
  /** Notes who ends it before its time; later words count until it has ended. */
  cutBy(name: string): void
  /** Notes that from now on nothing passes and nobody is told. */
  fellSilent(atUs: number): void
  /** The requester's view is final. */
  end(outcome: 'complete' | 'aborted' | 'failed', atUs: number): void
  /** The run is over before the exchange is. */
  leaveOpen(): void
}

export function createRecording(journal: Journal, beginning: Beginning): Recording {
  const octets = { requestHead: 0, requestBody: 0, responseHead: 0, responseBody: 0 }
  const record: ExchangeRecord = {
    kind: 'exchange',
    ...beginning,
    endUs: undefined,
    status: undefined,
    octets,
    outcome: 'open',
  }
  let ended = false
  return {
    record,
    answerHead(method, toClose, response) {
      octets.responseHead += responseHeadOctets({ method, toClose }, response)
    },
    answerBody(size, chunked) {
      octets.responseBody += size
      if (chunked) octets.responseHead += chunkFramingOctets(size)
    },
    lastChunk() {
      octets.responseHead += LAST_CHUNK_OCTETS
    },
    neverConnected() {
      octets.requestHead = octets.requestBody = 0
    },
    cutBy(name) {
      if (!ended) record.cutBy = name
    },
    fellSilent(atUs) {
      if (!ended) record.silentSinceUs ??= atUs
    },
    end(outcome, atUs) {
      ended = true
      record.endUs = atUs
      record.outcome = outcome
      journal.append(record)
    },
    leaveOpen() {
      ended = true
      journal.append(record)
    },
  }
}
