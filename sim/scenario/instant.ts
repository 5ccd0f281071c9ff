/** Instants as scenarios write them: a duration from the start, or a share of the job's length. */
import { durationUs, isShare, shareOf } from './values.ts'

export type Instant = { of: 'time'; us: number } | { of: 'share'; share: number }

/** A checked instant. */
export const instantOf = (value: string | number): Instant =>
  isShare(value) ? { of: 'share', share: shareOf(String(value)) } : { of: 'time', us: durationUs(value) }

/** When it is; `undefined` for a share of a length that nobody knows. */
export const instantUs = (instant: Instant, lengthUs: number | undefined): number | undefined =>
  instant.of === 'time'
    ? instant.us
    : lengthUs === undefined
      ? undefined
      : Math.round(lengthUs * instant.share)
