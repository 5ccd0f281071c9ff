/**
 * What a run of many tasks comes to, as sums of whole numbers: in whatever order
 * and in how many parts it is counted, the result is the same to the last digit.
 */
import { BLOCKS } from '../blocks.ts'
import type { Frame } from './frame.ts'
import { Held, type HeldData } from './held.ts'
import { MomentCounts } from './moments.ts'
import { Samples, type SamplesData } from './samples.ts'
import { FAILED, LEARNED, NOT_LEARNED, type TaskEnds } from './task-ends.ts'
import { WholeSums } from './whole.ts'

/** What is summed up of the tasks of each block that begin in the window. */
export const TASK_SUMS = [
  'tasks',
  'learned',
  'notLearned',
  'failed',
  'unfinished',
  'lateUs',
  'lengthUs',
  'polls',
  'newsPolls',
  /** Updates of those tasks before the end: that happened, that a poll was the first to show, that a later one hid. */
  'happened',
  'seen',
  'coalesced',
] as const
export type TaskSum = (typeof TASK_SUMS)[number]
const SUM: Readonly<Record<TaskSum, number>> = Object.fromEntries(
  TASK_SUMS.map((name, index) => [name, index * BLOCKS]),
) as Record<TaskSum, number>

/** What is counted; what nobody asks for costs nothing. */
export interface Wanted {
  /** Tasks that are not over, bin by bin: connections, where each has one of its own. */
  live: boolean
  /** Requests under way. */
  inFlight: boolean
}

export interface TallyShape {
  frame: Frame
  /** Names of the kinds of requests. */
  rows: readonly string[]
  wanted: Wanted
}

/** Plain, to go between threads. */
export interface TallyData {
  shape: TallyShape
  sums: { low: Float64Array; high: Float64Array }
  rows: Float64Array
  reasons: readonly (readonly [reason: string, tasks: number])[]
  load: { bins: Int32Array; total: number }
  live: HeldData
  inFlight: HeldData
  connections: HeldData
  late: SamplesData
  waits: SamplesData
  waited: { low: Float64Array; high: Float64Array }
}

export class Tally {
  readonly shape: TallyShape
  /** Of each of `TASK_SUMS` one for each block. */
  readonly sums = new WholeSums(TASK_SUMS.length * BLOCKS)
  /** Requests that leave in the window, by row. */
  readonly rows: Float64Array
  /** When they leave. */
  readonly load: MomentCounts
  readonly live: Held
  readonly inFlight: Held
  /** Of clients to the agent. */
  readonly connections: Held
  /** Times to learn, in µs. */
  readonly late = new Samples()
  /** From a request's arrival until a handler takes it, in µs, of requests that leave in the window. */
  readonly waits = new Samples()
  readonly waited = new WholeSums(1)
  private readonly reasons = new Map<string, number>()

  constructor(shape: TallyShape) {
    this.shape = shape
    this.rows = new Float64Array(shape.rows.length)
    this.load = new MomentCounts(shape.frame)
    this.live = new Held(shape.frame)
    this.inFlight = new Held(shape.frame)
    this.connections = new Held(shape.frame)
  }

  /** Ended tasks of one block, those between the two rows, which begin in the window. */
  addTasks(block: number, ends: TaskEnds, from: number, to: number, reason?: string): void {
    if (from >= to) return
    const { sums } = this
    const { how, lateUs, lengthUs, polls, news } = ends
    const tasks = to - from
    let learned = 0
    for (let i = from; i < to; i++) if (how[i] === LEARNED) learned++
    sums.add(SUM.tasks + block, tasks)
    sums.add(SUM.learned + block, learned)
    sums.addColumn(SUM.polls + block, polls, from, to)
    sums.addColumn(SUM.newsPolls + block, news, from, to)
    if (learned === tasks) {
      sums.addColumn(SUM.lateUs + block, lateUs, from, to)
      sums.addColumn(SUM.lengthUs + block, lengthUs, from, to)
      this.late.addColumn(lateUs, from, to)
      return
    }
    let notLearned = 0
    let failed = 0
    for (let i = from; i < to; i++) {
      if (how[i] === LEARNED) {
        sums.add(SUM.lateUs + block, lateUs[i] as number)
        sums.add(SUM.lengthUs + block, lengthUs[i] as number)
        this.late.addColumn(lateUs, i, i + 1)
      } else if (how[i] === NOT_LEARNED) notLearned++
      else if (how[i] === FAILED) failed++
    }
    sums.add(SUM.notLearned + block, notLearned)
    sums.add(SUM.failed + block, failed)
    sums.add(SUM.unfinished + block, tasks - learned - notLearned - failed)
    if (reason !== undefined) this.addReason(reason, notLearned + failed)
  }

  /** As `addTasks`, of tasks that all learned, each with one poll that brought news. */
  addLearned(block: number, { lateUs, lengthUs, polls }: TaskEnds, from: number, to: number): void {
    const { sums } = this
    sums.add(SUM.tasks + block, to - from)
    sums.add(SUM.learned + block, to - from)
    sums.add(SUM.newsPolls + block, to - from)
    for (let begin = from; begin < to; begin += 128) {
      const end = Math.min(begin + 128, to)
      let late = 0
      let length = 0
      let made = 0
      for (let i = begin; i < end; i++) {
        late += lateUs[i] as number
        length += lengthUs[i] as number
        made += polls[i] as number
      }
      sums.add(SUM.lateUs + block, late)
      sums.add(SUM.lengthUs + block, length)
      sums.add(SUM.polls + block, made)
    }
    this.late.addColumn(lateUs, from, to)
  }

  addReason(reason: string, tasks = 1): void {
    if (tasks > 0) this.reasons.set(reason, (this.reasons.get(reason) ?? 0) + tasks)
  }

  add(sum: TaskSum, block: number, value: number): void {
    this.sums.add(SUM[sum] + block, value)
  }

  /** One request that leaves at this instant. */
  addRequest(row: number, atUs: number): void {
    const { fromUs, toUs } = this.shape.frame
    if (atUs < fromUs || atUs >= toUs) return
    this.rows[row] = (this.rows[row] as number) + 1
    this.load.addOne(atUs)
  }

  /** Of one block. */
  sumOf(sum: TaskSum, block: number): bigint {
    return this.sums.valueOf(SUM[sum] + block)
  }

  totalOf(sum: TaskSum): bigint {
    let total = 0n
    for (let block = 0; block < BLOCKS; block++) total += this.sumOf(sum, block)
    return total
  }

  reasonCounts(): readonly (readonly [reason: string, tasks: number])[] {
    return [...this.reasons].toSorted(([a], [b]) => (a < b ? -1 : 1))
  }

  merge(data: TallyData): void {
    this.sums.merge(data.sums)
    for (let row = 0; row < this.rows.length; row++)
      this.rows[row] = (this.rows[row] as number) + (data.rows[row] as number)
    for (const [reason, tasks] of data.reasons) this.addReason(reason, tasks)
    this.load.merge(data.load.bins, data.load.total)
    this.live.merge(data.live)
    this.inFlight.merge(data.inFlight)
    this.connections.merge(data.connections)
    this.late.merge(data.late)
    this.waits.merge(data.waits)
    this.waited.merge(data.waited)
  }

  toData(): TallyData {
    return {
      shape: this.shape,
      sums: { low: this.sums.low.slice(), high: this.sums.high.slice() },
      rows: this.rows.slice(),
      reasons: this.reasonCounts(),
      load: { bins: this.load.counts().slice(), total: this.load.total },
      live: this.live.toData(),
      inFlight: this.inFlight.toData(),
      connections: this.connections.toData(),
      late: this.late.toData(),
      waits: this.waits.toData(),
      waited: { low: this.waited.low.slice(), high: this.waited.high.slice() },
    }
  }

  /** Over every accumulator: equal for equal results, whatever computed them. Eight hexadecimal digits. */
  checksum(): string {
    const hash = new Checksum()
    hash.add(this.sums.low)
    hash.add(this.sums.high)
    hash.add(this.rows)
    for (const [reason, tasks] of this.reasonCounts()) {
      for (let i = 0; i < reason.length; i++) hash.word(reason.charCodeAt(i))
      hash.number(tasks)
    }
    hash.add(this.load.counts())
    for (const held of [this.live, this.inFlight, this.connections]) {
      hash.add(held.levels())
      hash.number(Number(held.timeUs() & 0xffffffffffffn))
    }
    for (const samples of [this.late, this.waits]) {
      hash.number(samples.count)
      if (samples.count === 0) continue
      hash.number(samples.least)
      hash.number(samples.most)
      const { buckets, counts } = samples.inBuckets().toData()
      hash.add(buckets)
      hash.add(counts)
    }
    hash.add(this.waited.low)
    hash.add(this.waited.high)
    return hash.text()
  }
}

export function tallyOf(data: TallyData): Tally {
  const tally = new Tally(data.shape)
  tally.merge(data)
  return tally
}

/** Fowler, Noll and Vo's hash (FNV-1a) over 32-bit words. */
class Checksum {
  private hash = 0x811c9dc5 | 0

  word(word: number): void {
    const mixed = Math.imul(this.hash ^ word, 0x01000193)
    // Words differ in more than their lowest octet: let the upper ones tell below.
    this.hash = mixed ^ (mixed >>> 15)
  }

  number(value: number): void {
    this.word(value | 0)
    this.word(Math.floor(value / 2 ** 32) | 0)
  }

  add(column: ArrayLike<number>): void {
    for (let i = 0; i < column.length; i++) this.number(column[i] as number)
  }

  text(): string {
    return (this.hash >>> 0).toString(16).padStart(8, '0')
  }
}
