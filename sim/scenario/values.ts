/**
 * Values with units: what is wrong with one, in words, and what a right one
 * comes to. The problem functions take whatever stood in the file and return
 * `undefined` if it is fine. Further lines of a problem are hints.
 */
import { parseDuration } from '../kernel/units.ts'
import { didYouMean } from '../policies/nearest.ts'
import { STATE_WORDS } from '../protocol/states.ts'

/** Patterns for the JSON Schema, so that editors mark what cannot be right. */
export const DURATION_PATTERN = '^(?:0|(?:\\d+(?:\\.\\d+)?(?:us|ms|s|m|h|d))+)$'
export const INSTANT_PATTERN = '^(?:0|(?:\\d+(?:\\.\\d+)?(?:us|ms|s|m|h|d))+|\\d+(?:\\.\\d+)?%)$'
export const SHARE_PATTERN = '^\\d+(?:\\.\\d+)?%$'
export const RATE_PATTERN = '^\\d+(?:\\.\\d+)?/(?:s|m|h|d)$'
export const SIZE_PATTERN = '^\\d+(?:\\.\\d+)?(?:B|kB|MB|GB|KiB|MiB|GiB)$'

/** Longer than any study, and far from where microseconds stop being exact. */
export const LONGEST_US = parseDuration('36500d') as number
/** Filler is really built and sent: a bound keeps a slip of the unit from filling the memory. */
const LARGEST_OCTETS = 64 * 1024 * 1024

const DURATION = new RegExp(DURATION_PATTERN)
const SIZE = /^(\d+(?:\.\d+)?)(B|kB|MB|GB|KiB|MiB|GiB)$/
const SHARE = new RegExp(SHARE_PATTERN)
const RATE = new RegExp(RATE_PATTERN)
const BYTES_IN = { B: 1, kB: 1e3, MB: 1e6, GB: 1e9, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30 } as const
/** `"7 sec"`, shortened if it is long. */
export function quoted(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value)
  return text.length <= 60 ? text : `${text.slice(0, 59)}…`
}

/** What was given, where something else was wanted: `the number 5`, `a list`, `nothing`. */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined) return 'nothing'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object') return 'a map'
  if (typeof value === 'string') return `the text ${quoted(value)}`
  return typeof value === 'number' ? `the number ${value}` : JSON.stringify(value)
}

/** The sentence for what the format has and this release has not. */
export const notYet = (what: string, instead: string): string =>
  `${what} is part of the format but not of this release: ${instead}`

/** Why a value is no duration. */
export function durationProblem(value: unknown): string | undefined {
  if (value === 0) return undefined
  if (typeof value === 'number') {
    return value < 0
      ? `${value} is negative and has no unit: a duration is 0 or more, such as 7s`
      : `${value} has no unit: write ${value}s, ${value}ms or ${value}m`
  }
  if (typeof value !== 'string') return `expected a duration such as 20s, got ${kindOf(value)}`
  const us = parseDuration(value)
  if (us !== undefined) return us > LONGEST_US ? `${value} is longer than 36500d, the longest` : undefined
  if (/^\d+(?:\.\d+)?$/.test(value)) {
    return `"${value}" has no unit: write ${value}s, ${value}ms or ${value}m`
  }
  if (/^-\s*\d/.test(value)) return `${value} is negative: a duration is 0 or more`
  const tidy = tidyDuration(value)
  if (tidy !== value && parseDuration(tidy) !== undefined) {
    return `${quoted(value)} is not a duration: write ${tidy}`
  }
  if (DURATION.test(value)) {
    return /^\d+\.\d+[a-z]+$/.test(value) || /\.\d+us$/.test(value)
      ? `${quoted(value)} is not a whole number of microseconds: write it with fewer decimals`
      : `${quoted(value)} is not a duration: units go from large to small, each once, such as 1h30m`
  }
  return `${quoted(value)} is not a duration: write a number and a unit (us, ms, s, m, h, d), such as 250ms, 20s or 1h30m`
}

/** `7 sec` as `7s`, `1 hour 30 mins` as `1h30m`. */
const tidyDuration = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/\s+/g, '')
    .replaceAll(/(?<=\d)(?:milliseconds?|millis|msecs?)(?=\d|$)/g, 'ms')
    .replaceAll(/(?<=\d)(?:µs|microseconds?|micros)(?=\d|$)/g, 'us')
    .replaceAll(/(?<=\d)(?:seconds?|secs?)(?=\d|$)/g, 's')
    .replaceAll(/(?<=\d)(?:minutes?|mins?)(?=\d|$)/g, 'm')
    .replaceAll(/(?<=\d)(?:hours?|hrs?)(?=\d|$)/g, 'h')
    .replaceAll(/(?<=\d)days?(?=\d|$)/g, 'd')

/** Why a value is no instant: a duration from the job's start or a share of its length. */
export function instantProblem(value: unknown): string | undefined {
  if (typeof value === 'string' && SHARE.test(value)) {
    return Number.parseFloat(value) <= 100 ? undefined : `${value} lies after the end of the job (100%)`
  }
  const problem = durationProblem(value)
  return problem && `${problem}\nan instant may also be a share of the job's length, such as 50%`
}

/** Why a value is no size. */
export function sizeProblem(value: unknown): string | undefined {
  const octets = octetsOf(value)
  if (octets === undefined) {
    return `${quoted(value)} is not a size: write octets as a whole number, or with a unit such as 12kB or 4MiB`
  }
  return octets > LARGEST_OCTETS
    ? `${quoted(value)} is more than 64MiB, the largest that is played`
    : undefined
}

/** Why a value is no share. */
export function shareProblem(value: unknown): string | undefined {
  if (typeof value !== 'string' || !SHARE.test(value)) {
    return `${typeof value === 'string' || typeof value === 'number' ? quoted(value) : kindOf(value)} is not a share: write a percentage such as 25%`
  }
  return Number.parseFloat(value) <= 100 ? undefined : `${value} is more than all: a share is at most 100%`
}

/** A checked share as a number from 0 to 1. */
export const shareOf = (value: string): number => Number.parseFloat(value) / 100

const RATE_HINT = 'write a number per s, m, h or d, such as 7/s or 200000/d'

/** Why a value is no rate. */
export function rateProblem(value: unknown): string | undefined {
  if (typeof value === 'string' && RATE.test(value)) {
    return perSecondOf(value) > 0 ? undefined : `${value} never comes to one: ${RATE_HINT}`
  }
  return `${typeof value === 'string' || typeof value === 'number' ? quoted(value) : kindOf(value)} is not a rate: ${RATE_HINT}`
}

/** A checked rate per second. */
export function perSecondOf(rate: string): number {
  const unit = rate.slice(-1) as keyof typeof SECONDS_IN
  return Number.parseFloat(rate) / SECONDS_IN[unit]
}

const SECONDS_IN = { s: 1, m: 60, h: 3600, d: 86_400 } as const

/** Octets of a written size, `undefined` if it is none. */
export function octetsOf(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isInteger(value) && value >= 0 ? value : undefined
  const [, number, unit] = (typeof value === 'string' && SIZE.exec(value)) || []
  if (unit === undefined) return undefined
  // Rounded to 1/1000 first: 4.1 × 1000 is not exactly 4100.
  const octets = Math.round(Number(number) * BYTES_IN[unit as keyof typeof BYTES_IN] * 1000) / 1000
  return Number.isInteger(octets) ? octets : undefined
}

/** Microseconds of a duration that was checked. */
export const durationUs = (value: string | number): number => parseDuration(String(value)) as number

/** Whether a checked instant is a share. */
export const isShare = (value: unknown): boolean => typeof value === 'string' && SHARE.test(value)

/** Why a value is no state of a task. */
export function stateProblem(value: unknown): string | undefined {
  if (STATE_WORDS.some((known) => known === value)) return undefined
  const tidy = String(value)
    .toLowerCase()
    .replace(/^task_state_/, '')
    .replaceAll('_', '-')
  if (STATE_WORDS.some((known) => known === tidy)) return `write the state as ${tidy}`
  return `${quoted(value)} is no state of a task${didYouMean(tidy, STATE_WORDS)}\nallowed: ${STATE_WORDS.join(', ')}`
}
