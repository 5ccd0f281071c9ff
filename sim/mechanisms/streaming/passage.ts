/**
 * What of one answer comes through a row of hops, and which of them ends it.
 * Pure: the watches are those of the wire.
 */
import type { CutHow, Hop } from '../../policies/middlebox.ts'
import {
  createHopBuffer,
  createHopWatch,
  cutShown,
  type CutReason,
  type HopBuffer,
  type HopWatch,
} from '../../policies/hop-watch.ts'

/** What the agent writes, ascending; nothing follows its end. The head is never kept back. */
export type Written<T> = { of: 'head'; atUs: number } | Body<T> | { of: 'end'; atUs: number }

interface Body<T> {
  of: 'body'
  atUs: number
  octets: number
  item: T
}

/** What comes out at the asker's side. After a silent cut another hop may still end the answer. */
export type Passed<T> =
  | { of: 'head'; atUs: number }
  | { of: 'body'; atUs: number; item: T }
  | { of: 'end'; atUs: number }
  | { of: 'cut'; atUs: number; hop: Hop; why: CutReason; shown: CutHow | 504 }

interface Station<T> {
  hop: Hop
  watch: HopWatch
  buffer: HopBuffer | undefined
  kept: Body<T>[]
}

/**
 * Hops in order from the asker, all at one place: the request passes them at
 * `atUs`, and what the agent writes passes at the instant it is written or when
 * a buffer lets go of it. At one instant octets come before cuts, and of hops
 * that would cut together the one nearest the asker does.
 */
export function* throughHops<T>(
  hops: readonly Hop[],
  atUs: number,
  written: Iterable<Written<T>>,
): Generator<Passed<T>, void, undefined> {
  let stations: Station<T>[] = hops.map((hop) => ({
    hop,
    watch: createHopWatch(hop, atUs),
    buffer: hop.bufferOctets === undefined ? undefined : createHopBuffer(hop.bufferOctets),
    kept: [],
  }))

  /** Lets go of what the stations kept, of those from `last` towards the asker. */
  function* letGo(last: number, atThisUs: number): Generator<Passed<T>> {
    for (let i = 0; i <= last; i++)
      for (const { item } of (stations[i] as Station<T>).kept.splice(0))
        yield { of: 'body', atUs: atThisUs, item }
  }

  /** The cut that comes next if nobody says anything. */
  function nextCut() {
    let next: { index: number; atUs: number; why: CutReason } | undefined
    stations.forEach(({ watch }, index) => {
      const due = watch.dueUs()
      if (due !== undefined && (next === undefined || due.atUs < next.atUs)) next = { index, ...due }
    })
    return next
  }

  /** Takes one write past the stations, from the agent's side; what comes out at the asker's. */
  function* pass(write: Body<T>): Generator<Passed<T>> {
    let moving = [write]
    for (const { watch, buffer, kept } of stations.toReversed()) {
      watch.octets(write.atUs)
      if (buffer === undefined) continue
      kept.push(...moving)
      if (!buffer.takes(moving.reduce((sum, { octets }) => sum + octets, 0))) return
      moving = kept.splice(0)
    }
    for (const { item } of moving) yield { of: 'body', atUs: write.atUs, item }
  }

  const writes = written[Symbol.iterator]()
  let next = writes.next()
  let silenced = false
  for (;;) {
    const cut = nextCut()
    const write = silenced || next.done === true ? undefined : next.value
    if (cut !== undefined && (write === undefined || cut.atUs < write.atUs)) {
      const { hop, watch } = stations[cut.index] as Station<T>
      const shown = cutShown(hop.cut, watch.answered())
      if (shown === 'close') yield* letGo(cut.index, cut.atUs)
      if (shown === 'reset') yield* letGo(cut.index - 1, cut.atUs)
      yield { of: 'cut', atUs: cut.atUs, hop, why: cut.why, shown }
      if (shown !== 'silent') return
      stations = stations.slice(0, cut.index)
      silenced = true
      continue
    }
    if (write === undefined) return
    switch (write.of) {
      case 'head':
        for (const { watch } of stations) watch.octets(write.atUs)
        yield { of: 'head', atUs: write.atUs }
        break
      case 'body':
        yield* pass(write)
        break
      case 'end':
        yield* letGo(stations.length - 1, write.atUs)
        yield { of: 'end', atUs: write.atUs }
        return
    }
    next = writes.next()
  }
}
