/**
 * What parts of a row counted, whoever computed them: plain data that goes
 * between threads and into shard files, joined by addition alone.
 */
import { FLEET_COUNTS } from '../metrics/fleet-row.ts'
import { BLOCKS } from './blocks.ts'
import { Tally, type TallyData, type TallyShape } from './tally/tally.ts'

/** Numbers of a fleet row that are sums over requests, posts and tasks. */
export const COUNTS = [
  ...FLEET_COUNTS,
  'connections.opened',
  'updates.happened',
  'updates.learned',
  'updates.coalesced',
  'updates.lost',
  'updates.messagesLost',
  'updates.duplicate',
] as const
export type Count = (typeof COUNTS)[number]
export type Counts = Record<Count, number>

export const noCounts = (): Counts => Object.fromEntries(COUNTS.map((name) => [name, 0])) as unknown as Counts

/** Accumulators of some blocks of one replication. */
export interface Counted {
  tally: Tally
  counts: Counts
}

export const createCounted = (shape: TallyShape): Counted => ({ tally: new Tally(shape), counts: noCounts() })

/** As it travels. Every array is a plain one, so that JSON keeps it. */
export interface CountedData {
  replication: number
  /** Numbers of the blocks that are counted, ascending. */
  blocks: number[]
  counts: Counts
  tally: Plain<TallyData>
}

/** The same with typed arrays as plain ones, and what JSON has no words for as texts. */
type Plain<T> = T extends Float64Array | Int32Array | Uint32Array
  ? { of: string; values: number[] }
  : T extends readonly (infer U)[]
    ? Plain<U>[]
    : T extends object
      ? { [Key in keyof T]: Plain<T[Key]> }
      : T

const TYPED = { Float64Array, Int32Array, Uint32Array } as const

/** Runs of zeros, of which bins and buckets have many, become a zero and their length. */
function packed(values: ArrayLike<number>): number[] {
  const out: number[] = []
  for (let i = 0; i < values.length; i++) {
    if (values[i] !== 0) {
      out.push(values[i] as number)
      continue
    }
    let zeros = 1
    while (i + zeros < values.length && values[i + zeros] === 0) zeros++
    out.push(0, zeros)
    i += zeros - 1
  }
  return out
}

function unpacked(values: readonly number[]): number[] {
  const out: number[] = []
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number
    if (value !== 0) out.push(value)
    else for (let zeros = values[++i] as number; zeros > 0; zeros--) out.push(0)
  }
  return out
}

function plain(value: unknown): unknown {
  for (const [of, Typed] of Object.entries(TYPED))
    if (value instanceof Typed) return { of, values: packed(value) }
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value === 'number' && !Number.isFinite(value)) return { of: 'number', text: String(value) }
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, inner]) => inner !== undefined)
      .map(([key, inner]) => [key, plain(inner)]),
  )
}

function typed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(typed)
  if (typeof value !== 'object' || value === null) return value
  const { of, values, text } = value as { of?: string; values?: number[]; text?: string }
  if (of === 'number' && text !== undefined) return Number(text)
  if (of !== undefined && values !== undefined && Object.hasOwn(TYPED, of))
    return TYPED[of as keyof typeof TYPED].from(unpacked(values))
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, typed(inner)]))
}

export const dataOf = (
  { tally, counts }: Counted,
  replication: number,
  { fromBlock, toBlock }: { fromBlock: number; toBlock: number },
): CountedData => ({
  replication,
  blocks: Array.from({ length: toBlock - fromBlock }, (_, i) => fromBlock + i),
  counts,
  tally: plain(tally.toData()) as Plain<TallyData>,
})

/** Joins what was counted of one replication. @throws RangeError if a block is counted twice */
export function joined(parts: readonly CountedData[]): CountedData {
  const [first, ...others] = parts
  if (first === undefined) throw new RangeError('there is nothing to join')
  if (others.length === 0) return first
  const blocks = new Set(first.blocks)
  const tally = tallyIn(first)
  const counts = { ...first.counts }
  for (const part of others) {
    for (const block of part.blocks) {
      if (blocks.has(block)) throw new RangeError(`block ${block} is counted twice`)
      blocks.add(block)
    }
    tally.merge(typed(part.tally) as TallyData)
    for (const name of COUNTS) counts[name] += part.counts[name]
  }
  return {
    replication: first.replication,
    blocks: [...blocks].toSorted((a, b) => a - b),
    counts,
    tally: plain(tally.toData()) as Plain<TallyData>,
  }
}

/** The accumulators of parts that came from elsewhere. */
export function tallyIn({ tally: data }: CountedData): Tally {
  const whole = typed(data) as TallyData
  const tally = new Tally(whole.shape)
  tally.merge(whole)
  return tally
}

export const isWhole = ({ blocks }: CountedData): boolean => blocks.length === BLOCKS
