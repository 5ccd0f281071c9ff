/** From the records of one task to what a fleet counts of it. */
import { FLEET_COUNTS } from '../metrics/fleet-row.ts'
import { rowOf } from '../metrics/row-of.ts'
import type { Row } from '../metrics/row.ts'
import type { RunRecord } from '../records/record.ts'
import type { Count, Counted } from './counted.ts'

/** A task of a fleet, as it was played. */
export interface PlayedTask {
  block: number
  /** When its send left, in the fleet's time. */
  arrivalUs: number
  /** Of its job; Infinity if it never ends. */
  lengthUs: number
  records: readonly RunRecord[]
  /** To be added to the instants of the records to come to the fleet's time. */
  offsetUs: number
  /** When its run was over, or the horizon, in the time of the records. */
  endUs: number
  /** Whether its client was still at it when the run stopped. */
  isUnfinished: boolean
}

/** Counts one task: itself and what became of it if it begins in the window, its requests by their own instants. */
export function digest(task: PlayedTask, counted: Counted): void {
  const { fromUs, toUs } = counted.tally.shape.frame
  const { arrivalUs, records, offsetUs, endUs } = task
  const isCounted = arrivalUs >= fromUs && arrivalUs < toUs
  const isInside = isCounted && endUs + offsetUs < toUs
  const row = rowOf({ mechanism: '', policy: '', records, endUs })
  if (isCounted) countTask(task, row, counted)
  countEvents(isInside ? row : rowWithin(task, fromUs - offsetUs, toUs - offsetUs), counted)
  countOverTime(task, counted)
}

function countTask(
  { block, lengthUs, isUnfinished }: PlayedTask,
  row: Row,
  { tally, counts }: Counted,
): void {
  tally.add('tasks', block, 1)
  if (row.outcome === 'learned') {
    const lateUs = Math.round((row.timeToLearnMs ?? 0) * 1000)
    tally.add('learned', block, 1)
    tally.add('lateUs', block, lateUs)
    tally.add('lengthUs', block, lengthUs)
    tally.late.addOne(lateUs)
  } else {
    tally.add(isUnfinished ? 'unfinished' : row.outcome === 'failed' ? 'failed' : 'notLearned', block, 1)
    if (!isUnfinished && row.reason !== undefined) tally.addReason(row.reason)
  }
  tally.add('polls', block, row.polls)
  for (const [name, value] of Object.entries(row.updates)) counts[`updates.${name}` as Count] += value
}

/** Of a row what belongs to instants. */
function countEvents(row: Row, { counts }: Counted): void {
  for (const name of EVENTS) counts[name] += row[name]
  counts['connections.opened'] += row.connections.opened
}

/** Requests turned away have a record of their own, and are counted from that. */
const EVENTS = FLEET_COUNTS.filter((name) => name !== 'rejected')

/** The row of what lies in the window alone. */
function rowWithin({ records, endUs }: PlayedTask, fromUs: number, toUs: number): Row {
  const within = records.filter((record) => {
    const atUs = startOf(record)
    // What happened and was learned says what a request was worth, whenever that was.
    return record.kind === 'happened' || record.kind === 'learned' || (atUs >= fromUs && atUs < toUs)
  })
  return rowOf({ mechanism: '', policy: '', records: within, endUs })
}

function startOf(record: RunRecord): number {
  switch (record.kind) {
    case 'exchange':
      return record.startUs
    case 'connection':
      return record.openedUs
    case 'happened':
    case 'learned':
    case 'duplicate':
    case 'retry':
    case 'gave-up':
    case 'slow-down':
    case 'served':
    case 'turned-away':
    case 'removed':
    case 'hand-over':
      return record.atUs
  }
}

function countOverTime({ records, offsetUs, endUs }: PlayedTask, { tally, counts }: Counted): void {
  for (const record of records) {
    switch (record.kind) {
      case 'exchange': {
        if (record.from !== 'client') break
        const { startUs, endUs: answeredUs = endUs } = record
        tally.load.addOne(startUs + offsetUs)
        tally.inFlight.addOne(startUs + offsetUs, answeredUs + offsetUs)
        break
      }
      case 'connection':
        if (record.from === 'client')
          tally.connections.addOne(record.openedUs + offsetUs, record.closedUs + offsetUs)
        break
      case 'served':
        tally.waits.addOne(record.waitedUs)
        tally.waited.add(0, record.waitedUs)
        break
      case 'turned-away':
        counts.rejected += 1
        break
      case 'happened':
      case 'learned':
      case 'duplicate':
      case 'retry':
      case 'gave-up':
      case 'slow-down':
      case 'removed':
      case 'hand-over':
        break
    }
  }
}
