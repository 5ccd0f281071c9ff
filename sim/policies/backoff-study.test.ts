/**
 * The study of the AWS Architecture Blog, "Exponential backoff and jitter" (2015),
 * by its published simulator (aws-samples/aws-arch-backoff-simulator): clients
 * fight for one row under optimistic locking. Each reads the version, writes, and
 * after a refusal waits and reads again until its one write is in. Every message is
 * |N(10, 2)| ms on its way; the waits grow from 10 ms (5 ms x 2) up to 2 s.
 *
 * No update is delivered here, so this is no scenario: it is a test of the
 * jitters, by what they were made for.
 */
import { describe, expect, test } from 'vitest'
import { drawUs, fixed } from '../kernel/distribution.ts'
import { createEventQueue } from '../kernel/event-queue.ts'
import { randomStream } from '../kernel/random.ts'
import { type Backoff, createBackoff, type Jitter, type Waits } from './backoff.ts'

const MS = 1000
const THEIR_RUNS = 100

const backoffOf = (waits: Waits, of: Exclude<Jitter['of'], 'stretch'>): Backoff => ({
  waits,
  jitter: { of },
  attempts: undefined,
  budgetUs: undefined,
  resetAfterUs: undefined,
  timeoutUs: undefined,
})

const from = (initialMs: number): Waits => ({
  of: 'growing',
  initialUs: initialMs * MS,
  multiplier: 2,
  maxUs: 2000 * MS,
})

/** A table of ours: mean time until all are done, in ms, and mean writes, of 100 runs of their simulator with its seed 1. */
const STUDY: { name: string; backoff: Backoff; table: Record<number, [drainMs: number, writes: number]> }[] =
  [
    {
      name: 'exponential',
      backoff: backoffOf(from(10), 'none'),
      table: { 10: [3590, 51], 50: [36_238, 625], 100: [62_863, 1854], 190: [101_357, 5187] },
    },
    {
      name: 'decorrelated',
      backoff: backoffOf(from(5), 'decorrelated'),
      table: { 10: [435, 38], 50: [2165, 376], 100: [4531, 1003], 190: [7888, 2441] },
    },
    {
      name: 'equal',
      backoff: backoffOf(from(10), 'equal'),
      table: { 10: [733, 42], 50: [4303, 347], 100: [6659, 812], 190: [9487, 1760] },
    },
    {
      name: 'full',
      backoff: backoffOf(from(10), 'full'),
      table: { 10: [465, 39], 50: [2922, 332], 100: [4879, 797], 190: [7428, 1771] },
    },
    {
      name: 'none',
      backoff: backoffOf({ of: 'interval', interval: fixed(0) }, 'none'),
      table: { 10: [382, 51], 50: [1133, 687], 100: [2027, 2422], 190: [3538, 7998] },
    },
  ]

/** One run: when the last client was done, and how many writes that took. */
function fight(clients: number, backoff: Backoff, seed: number): { drainMs: number; writes: number } {
  const network = randomStream(seed, 'network')
  // Of a normal draw the study takes the absolute value; five standard deviations from 0 that is the same as cutting it there.
  const wayUs = (): number => drawUs({ of: 'normal', meanUs: 10 * MS, sdUs: 2 * MS }, network)
  const events = createEventQueue<(nowUs: number) => void>()
  let version = 0
  let writes = 0
  let drainUs = 0

  const begin = (client: number): void => {
    const waits = createBackoff(backoff, randomStream(seed, `client ${client}`))
    const read = (sentUs: number): void => void events.push(sentUs + wayUs(), sendVersion)
    const sendVersion = (nowUs: number): void => {
      const seen = version
      events.push(nowUs + wayUs(), (readUs) => events.push(readUs + wayUs(), (atUs) => write(atUs, seen)))
    }
    const write = (nowUs: number, seen: number): void => {
      writes += 1
      const accepted = seen === version
      if (accepted) version += 1
      events.push(nowUs + wayUs(), (atUs) => {
        drainUs = atUs
        if (!accepted) read(atUs + (waits.next() ?? NaN))
      })
    }
    read(0)
  }
  for (let client = 0; client < clients; client++) begin(client)
  for (let atUs = events.peekTimeUs(); atUs !== undefined; atUs = events.peekTimeUs()) events.pop()?.(atUs)
  expect(version).toBe(clients)
  return { drainMs: drainUs / MS, writes }
}

/** Mean and its standard error. */
interface Estimate {
  mean: number
  error: number
}

function estimateOf(values: readonly number[]): Estimate {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1)
  return { mean, error: Math.sqrt(variance / values.length) }
}

describe.each(STUDY)('$name', ({ backoff, table }) => {
  test.each(Object.entries(table))('%s clients', (clients, [drainMs, writes]) => {
    // Of many clients one run tells more, and takes longer.
    const ourRuns = Number(clients) > 50 ? 40 : 100
    const runs = Array.from({ length: ourRuns }, (_, seed) => fight(Number(clients), backoff, seed))
    const agree = (ours: Estimate, theirs: number): void => {
      // Their mean is as uncertain as ours is by the number of runs, and printed without decimals.
      const tolerance = 4 * ours.error * Math.sqrt(1 + ourRuns / THEIR_RUNS) + 1
      expect(Math.abs(ours.mean - theirs)).toBeLessThan(tolerance)
      expect(tolerance / theirs).toBeLessThan(0.25)
    }
    agree(estimateOf(runs.map((run) => run.drainMs)), drainMs)
    agree(estimateOf(runs.map((run) => run.writes)), writes)
  })
})
