import type { Row } from '../../sim/index.ts'
import { averaged, counted, lateness, listed, withThousands } from './numbers.ts'

/** A row whose client learned that the job ended, in every run if there are several. */
type Learned = Row & { timeToLearnMs: number }

const isLearned = (row: Row): row is Learned =>
  row.timeToLearnMs !== null && (row.runs === undefined || row.runs.outcomes.learned === row.runs.count)

const isPartly = ({ runs }: Row): boolean =>
  runs !== undefined && runs.outcomes.learned > 0 && runs.outcomes.learned < runs.count

/** How late a row is; means are called so. */
const late = ({ timeToLearnMs, runs }: Learned): string =>
  runs === undefined || timeToLearnMs === 0
    ? lateness(timeToLearnMs)
    : `${lateness(averaged(timeToLearnMs))} on average`

/** Rows that are equal in what made them the least; there is always one. */
type Least<R> = [R, ...R[]]

/** More names than this are counted instead. */
const NAMES_MAX = 4

const names = (rows: readonly Row[]): string =>
  rows.length > NAMES_MAX ? `${rows.length} mechanisms` : listed(rows.map(({ mechanism }) => mechanism))

function least<R extends Row>(rows: Least<R>, amount: (row: R) => number): Least<R> {
  const smallest = Math.min(...rows.map(amount))
  return rows.filter((row) => amount(row) === smallest) as Least<R>
}

const requestsOf = (row: Row): number => row.requests
const octetsOf = (row: Row): number => row.octets.total

/**
 * What the table means, in one sentence: who learned first, which of those was
 * the cheapest, what the latest one saved by being late, and who never learned.
 */
export function sentenceOf(rows: readonly Row[]): string {
  const learned = rows.filter(isLearned)
  const partly = rows.filter(isPartly)
  const others = rows.filter((row) => !isLearned(row) && !isPartly(row))
  const failed = others.filter(({ outcome }) => outcome === 'failed')
  const never = others.filter(({ outcome }) => outcome === 'not-learned')
  const clauses: string[] = []
  if (learned.length > 0) clauses.push(...clausesOfLearned(learned as Least<Learned>, rows))
  clauses.push(
    ...partly.map(
      ({ mechanism, runs }) =>
        `${mechanism} learned ${learned.length > 0 ? 'it' : 'of the end'} in ${withThousands(runs?.outcomes.learned ?? 0)} of ${counted(runs?.count ?? 0, 'run')}`,
    ),
  )
  if (never.length > 0)
    clauses.push(
      clauses.length > 0 ? `${names(never)} never learned it` : `${names(never)} never learned of the end`,
    )
  if (failed.length > 0) clauses.push(`${names(failed)} failed`)
  return `${clauses.join('; ')}.`
}

function clausesOfLearned(learned: Least<Learned>, rows: readonly Row[]): string[] {
  const first = least(learned, (row) => row.timeToLearnMs)
  const last = least(learned, (row) => -row.timeToLearnMs)
  const tied = first.length === learned.length
  const who =
    tied && rows.length === first.length && first.length > 2 ? `all ${first.length} mechanisms` : names(first)
  const when = late(first[0])
  const head = `The end was learned ${tied || when === 'on time' ? when : `first, ${when},`} by ${who}`
  return [
    ...(first.length === 1
      ? [`${head}, with ${costOf(first[0])}`]
      : [head, `of these, ${cheapestOf(first)}`]),
    ...(tied ? [] : [savedBy(last, first)]),
  ]
}

const costOf = (row: Row): string =>
  `${counted(averaged(row.requests), 'request')} and ${counted(averaged(octetsOf(row)), 'octet')}`

/** Among equally late rows: who needed the fewest requests, and who the fewest octets. */
function cheapestOf(rows: Least<Row>): string {
  const inRequests = least(rows, requestsOf)
  const inOctets = least(rows, octetsOf)
  const requests = withThousands(averaged(inRequests[0].requests))
  const octets = withThousands(averaged(octetsOf(inOctets[0])))
  const clause =
    inRequests.length === rows.length
      ? `each needed ${counted(averaged(inRequests[0].requests), 'request')}`
      : `${names(inRequests)} needed the fewest requests (${requests})`
  if (inOctets.length === rows.length) return `${clause} and the same octets (${octets})`
  if (names(inOctets) === names(inRequests)) return `${clause} and octets (${octets})`
  return `${clause} and ${names(inOctets)} the fewest octets (${octets})`
}

/** What being late saved in requests, against the cheapest of the first ones or, failing that, the dearest. */
function savedBy(last: Least<Learned>, first: Least<Learned>): string {
  const frugal = least(last, requestsOf)[0]
  const cheapest = least(first, requestsOf)[0]
  const dearest = least(first, (row) => -row.requests)[0]
  const upTo = last.some((row) => row.requests !== frugal.requests) ? 'up to ' : ''
  const head = `${names(last)}, the latest, ${late(frugal)}, saved`
  const against = (row: Row): string =>
    `${upTo}${counted(averaged(row.requests - frugal.requests), 'request')} against ${row.mechanism}`
  if (frugal.requests < cheapest.requests) return `${head} ${against(cheapest)}`
  if (frugal.requests < dearest.requests)
    return `${head} ${against(dearest)} but none against ${cheapest.mechanism}`
  return `${head} no request`
}
