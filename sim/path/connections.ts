/**
 * Which TCP connection carries an exchange, and how long it stays open.
 *
 * The rule is that of Node's `fetch` (undici), rounded to whole seconds: a
 * connection carries one exchange at a time; an idle one is used again, the
 * first opened first, if less than 4 s have passed since its last answer; at
 * exactly 4 s it is closed. undici itself closes between 3 and 4 s after the
 * answer of a server that promises 5 s, by the grid of its coarse timers.
 */
import type { ConnectionRecord, Party } from '../records/record.ts'

/** How long a connection stays open after its last answer. */
export const IDLE_LIMIT_US = 4_000_000

/** A connection in the hands of an exchange. */
export interface Connection {
  /** The answer is with the requester: the connection waits for the next exchange. */
  free(atUs: number): void
  /** The connection closes now: the exchange broke off, or one side asked for it. */
  close(atUs: number): void
  /** The host refused: this exchange never came about. What carried earlier ones still has to be closed. */
  wasNone(): void
}

export interface Connections {
  /** Takes an idle connection from a party to an origin, or opens one. */
  take(from: Party, to: Party, origin: string, atUs: number): Connection
  /** Whether one is idle, so that none has to be opened. */
  isIdle(from: Party, origin: string, atUs: number): boolean
  /** Closes the idle ones of a party, whichever end it is. */
  closeIdle(party: Party, atUs: number): void
  /**
   * Every connection there was, by closing instant, then in the order they
   * opened. A busy one counts as closed now; an idle one for the whole time
   * its server would have held it, even if the run is over by then.
   */
  close(atUs: number): ConnectionRecord[]
}

interface Open {
  /** An idle connection already bears its closing instant: the one at which it closes if nobody wants it. */
  record: ConnectionRecord
  busy: boolean
}

const keyOf = (from: Party, origin: string): string => `${from} ${origin}`

/**
 * Nothing is scheduled: whether an idle connection has closed shows when
 * somebody wants it, so that idle connections never keep a run going.
 */
export function createConnections(): Connections {
  /** All there ever were, in the order of opening. */
  const records: ConnectionRecord[] = []
  /** Those that may still be open, by party and origin, in the order of opening. */
  const open = new Map<string, Open[]>()

  function firstIdle(here: Open[], atUs: number): Open | undefined {
    for (let index = 0; index < here.length;) {
      const candidate = here[index] as Open
      if (candidate.busy) index += 1
      else if (atUs < candidate.record.closedUs) return candidate
      else here.splice(index, 1)
    }
    return undefined
  }

  return {
    take(from, to, origin, atUs) {
      const key = keyOf(from, origin)
      let here = open.get(key)
      if (here === undefined) open.set(key, (here = []))
      let connection = firstIdle(here, atUs)
      if (connection === undefined) {
        const record: ConnectionRecord = {
          kind: 'connection',
          from,
          to,
          openedUs: atUs,
          closedUs: atUs,
          exchanges: 0,
        }
        connection = { record, busy: true }
        records.push(record)
        here.push(connection)
      }
      connection.record.exchanges += 1
      connection.busy = true
      return handOut(connection, here)
    },
    isIdle: (from, origin, atUs) => firstIdle(open.get(keyOf(from, origin)) ?? [], atUs) !== undefined,
    closeIdle(party, atUs) {
      for (const here of open.values())
        for (const { record, busy } of here)
          if (!busy && (record.from === party || record.to === party))
            record.closedUs = Math.min(record.closedUs, atUs)
    },
    close(atUs) {
      for (const here of open.values()) for (const { record, busy } of here) if (busy) record.closedUs = atUs
      return records.toSorted((a, b) => a.closedUs - b.closedUs)
    },
  }

  function handOut(connection: Open, here: Open[]): Connection {
    const { record } = connection
    return {
      free(endUs) {
        connection.busy = false
        record.closedUs = endUs + IDLE_LIMIT_US
      },
      close(endUs) {
        here.splice(here.indexOf(connection), 1)
        record.closedUs = endUs
      },
      wasNone() {
        record.exchanges -= 1
        // One that carried something before was open until now; a new one never was.
        if (record.exchanges === 0) records.splice(records.indexOf(record), 1)
      },
    }
  }
}
