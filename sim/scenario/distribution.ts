/**
 * Quantities left to chance, as a scenario writes them: `20s`, `20ms..80ms`,
 * `exponential:20s`, `lognormal:p50=18s,p95=60s`, or a map such as
 * `{ lognormal: { p50: 18s, p95: 60s } }`.
 */
import * as z from 'zod'
import {
  fixed,
  lognormalOfMean,
  lognormalOfQuantiles,
  meanUs,
  weibullOfMean,
  type Distribution,
} from '../kernel/distribution.ts'
import { formatDuration, parseDuration } from '../kernel/units.ts'
import { didYouMean } from '../policies/nearest.ts'
import { PlainDuration, either, word } from './schema-parts.ts'
import { durationProblem, durationUs, kindOf, quoted } from './values.ts'

/**
 * Where a distribution stands: a length of the job may be any; elsewhere there
 * is no grid, whose points are runs; and a policy does not read files.
 */
export type Use = 'job' | 'world' | 'policy'

/** The column of a file with measured values. */
export interface ColumnRef {
  file: string
  column: string
}

/** The values of a column, in µs. */
export type ReadColumn = (ref: ColumnRef) => readonly number[]

type Given = Readonly<Record<string, string | number>>
type Wrong = { problem: string; key?: string }
type Read = Distribution | { of: 'column'; ref: ColumnRef }

interface Family {
  /** The parameters it may be given by: all of one list. */
  ways: readonly (readonly string[])[]
  /** The parameter that a value without a key stands for. */
  main?: string
  /** Its parameters are checked, times in µs. */
  read(given: Readonly<Record<string, number>>): Distribution | Wrong
}

/** What each parameter is. */
const PARAMETERS = {
  min: 'time',
  max: 'time',
  mean: 'time',
  sd: 'time',
  p50: 'time',
  p95: 'time',
  p99: 'time',
  shape: 'number',
  sigma: 'number',
  points: 'count',
  file: 'text',
  column: 'text',
} as const satisfies Record<string, 'time' | 'number' | 'count' | 'text'>

type Parameter = keyof typeof PARAMETERS

/** A grid has one run for each point. */
const MOST_POINTS = 1_000_000

const orderOf = ({ min = 0, max = 0 }: Readonly<Record<string, number>>): Wrong | undefined =>
  min < max ? undefined : { problem: 'max must lie above min', key: 'max' }

const aboveZero = (given: Readonly<Record<string, number>>, key: string): Wrong | undefined =>
  (given[key] as number) > 0 ? undefined : { problem: `${key} must lie above 0`, key }

const FAMILIES: Readonly<Record<string, Family>> = {
  uniform: {
    ways: [['min', 'max']],
    read: (given) => orderOf(given) ?? { of: 'uniform', fromUs: given['min'] ?? 0, toUs: given['max'] ?? 0 },
  },
  exponential: {
    ways: [['mean']],
    main: 'mean',
    read: (given) => aboveZero(given, 'mean') ?? { of: 'exponential', meanUs: given['mean'] ?? 0 },
  },
  lognormal: {
    ways: [
      ['p50', 'p95'],
      ['p50', 'p99'],
      ['mean', 'sigma'],
    ],
    read: (given) => {
      const { mean, sigma, p50 = 0, p95, p99 } = given
      if (mean !== undefined && sigma !== undefined) {
        return aboveZero(given, 'mean') ?? lognormalOfMean(mean, sigma)
      }
      const upper = p95 === undefined ? 'p99' : 'p95'
      const us = p95 ?? p99 ?? 0
      if (us <= p50) return { problem: `${upper} must lie above p50`, key: upper }
      return aboveZero(given, 'p50') ?? lognormalOfQuantiles(p50, upper, us)
    },
  },
  normal: {
    ways: [['mean', 'sd']],
    read: ({ mean = 0, sd = 0 }) => ({ of: 'normal', meanUs: mean, sdUs: sd }),
  },
  weibull: {
    ways: [['mean', 'shape']],
    read: (given) => aboveZero(given, 'mean') ?? weibullOfMean(given['mean'] ?? 0, given['shape'] ?? 1),
  },
  pareto: {
    ways: [['min', 'shape', 'max']],
    read: (given) => {
      const { min = 0, shape = 1, max = 0 } = given
      return aboveZero(given, 'min') ?? orderOf(given) ?? { of: 'pareto', minUs: min, shape, maxUs: max }
    },
  },
  grid: {
    ways: [['min', 'max', 'points']],
    read: (given) => {
      const { min = 0, max = 0, points = 1 } = given
      if (points > MOST_POINTS) return { problem: `at most ${MOST_POINTS} points`, key: 'points' }
      return orderOf(given) ?? { of: 'grid', fromUs: min, toUs: max, points }
    },
  },
  empirical: {
    ways: [['file', 'column']],
    main: 'file',
    read: () => {
      throw new Error('the column of a file is read by its name')
    },
  },
}

/** `exponential`, `lognormal` and so on. */
export const FAMILY_NAMES: readonly string[] = Object.keys(FAMILIES)
const ALLOWED = `allowed: a duration, a range such as 20ms..80ms, ${FAMILY_NAMES.join(', ')}`

/** For editors; what exactly is allowed after the colon is told when a file is read. */
export const DISTRIBUTION_PATTERN = `^(?:0$|\\d[\\d.]*(?:us|ms|s|m|h|d)|(?:${FAMILY_NAMES.join('|')}):)`

/** Why a family cannot be used at a place. */
function useProblem(name: string, use: Use): string | undefined {
  if (name === 'grid' && use !== 'job') {
    return 'a grid has one run for each of its points: it belongs to job.duration'
  }
  return name === 'empirical' && use === 'policy'
    ? 'an empirical distribution belongs to the world, such as job.duration or network.latency; a policy takes a range such as 20m..30m'
    : undefined
}

/** Why a value is no distribution written as a text. */
export function distributionProblem(value: unknown, use: Use): string | undefined {
  if (typeof value !== 'string') return durationProblem(value)
  const read = readText(value, use)
  return 'problem' in read ? read.problem : undefined
}

const RANGE = /^([^.]\S*?)\.\.(\S*[^.])$/

/** `20ms..80ms` as its two ends; `undefined` for what is no range. */
function rangeOf(text: string): { min: string; max: string } | Wrong | undefined {
  const [, min, max] = RANGE.exec(text) ?? []
  if (min === undefined || max === undefined) return undefined
  const problem = durationProblem(min) ?? durationProblem(max)
  if (problem !== undefined) return { problem }
  return durationUs(min) < durationUs(max) ? { min, max } : { problem: `${text} runs backwards` }
}

function readText(text: string, use: Use): Read | Wrong {
  if (parseDuration(text) !== undefined) {
    const problem = durationProblem(text)
    return problem === undefined ? fixed(durationUs(text)) : { problem }
  }
  const [, name, rest] = /^([a-z]+):(.*)$/is.exec(text) ?? []
  if (name === undefined || rest === undefined) {
    const range = rangeOf(text)
    if (range === undefined) return { problem: durationProblem(text) ?? ALLOWED }
    return 'problem' in range ? range : fromParameters('uniform', range)
  }
  const family = Object.hasOwn(FAMILIES, name) ? FAMILIES[name] : undefined
  if (family === undefined) {
    return { problem: `"${name}" is no distribution${didYouMean(name, FAMILY_NAMES)}\n${ALLOWED}` }
  }
  const misused = useProblem(name, use)
  if (misused !== undefined) return { problem: misused }
  const given = argumentsOf(name, family, rest)
  if ('wrong' in given) return { problem: `${name}: ${given.wrong}` }
  const result = fromParameters(name, given.values)
  return 'problem' in result ? { problem: `${name}: ${result.problem}` } : result
}

/** `mean=10ms,sd=2ms`, `20s` or `16s..24s,points=4001` as parameters. */
function argumentsOf(name: string, family: Family, text: string): { values: Given } | { wrong: string } {
  const values: Record<string, string | number> = {}
  for (const part of text.split(',')) {
    const [, key, value = ''] = /^([\w-]+)=(.*)$/.exec(part) ?? []
    if (key !== undefined) {
      if (Object.hasOwn(values, key)) return { wrong: `${key} is given twice` }
      values[key] = /^\d+(?:\.\d+)?$/.test(value) ? Number(value) : value
      continue
    }
    const isRanged = family.ways.some((way) => way.includes('min') && way.includes('max'))
    const range = isRanged ? rangeOf(part) : undefined
    if (range !== undefined && 'problem' in range) return { wrong: range.problem }
    if (range !== undefined) Object.assign(values, range)
    else if (family.main !== undefined) values[family.main] = part
    else return { wrong: `${quoted(part)} has no key: write ${exampleOf(name)}` }
  }
  return { values }
}

const EXAMPLES: Readonly<Record<string, string>> = {
  uniform: 'uniform:20ms..80ms',
  exponential: 'exponential:20s',
  lognormal: 'lognormal:p50=18s,p95=60s',
  normal: 'normal:mean=10ms,sd=2ms',
  weibull: 'weibull:mean=20s,shape=2',
  pareto: 'pareto:min=5s,shape=1.5,max=1h',
  grid: 'grid:16s..24s,points=4001',
  empirical: 'empirical:lengths.csv,column=ms',
}

const exampleOf = (name: string): string => EXAMPLES[name] as string

/** A distribution from its parameters as they were written. */
function fromParameters(name: string, given: Given): Read | Wrong {
  const family = FAMILIES[name] as Family
  const keys = Object.keys(given)
  const known = [...new Set(family.ways.flat())]
  const unknown = keys.find((key) => !known.includes(key))
  if (unknown !== undefined) {
    return {
      problem: `unknown key ${unknown}${didYouMean(unknown, known)}\nallowed: ${known.join(', ')}`,
      key: unknown,
    }
  }
  for (const key of keys) {
    const problem = parameterProblem(key as Parameter, given[key])
    if (problem !== undefined) return { problem: `${key}: ${problem}`, key }
  }
  const isWhole = family.ways.some(
    (way) => way.length === keys.length && way.every((key) => keys.includes(key)),
  )
  if (!isWhole) {
    const ways = family.ways.map((way) => way.join(' and ')).join(', or ')
    return {
      problem: `give ${ways}; here stands ${keys.join(', ') || 'nothing'}\nfor example ${exampleOf(name)}`,
    }
  }
  const { file, column } = given
  if (file !== undefined) return { of: 'column', ref: { file: String(file), column: String(column) } }
  return family.read(
    Object.fromEntries(
      keys.map((key) => {
        const value = given[key] as string | number
        return [key, PARAMETERS[key as Parameter] === 'time' ? durationUs(value) : Number(value)]
      }),
    ),
  )
}

function parameterProblem(key: Parameter, value: unknown): string | undefined {
  switch (PARAMETERS[key]) {
    case 'time':
      return durationProblem(value)
    case 'number':
      return typeof value === 'number' && value > 0
        ? undefined
        : `expected a number above 0, got ${kindOf(value)}`
    case 'count':
      return Number.isInteger(value) && (value as number) > 0
        ? undefined
        : `expected a whole number from 1 on, got ${kindOf(value)}`
    case 'text':
      return value === '' ? 'nothing stands here' : undefined
  }
}

const parameterSchema: Readonly<Record<(typeof PARAMETERS)[Parameter], z.ZodType>> = {
  time: PlainDuration,
  number: z.number(),
  count: z.int(),
  text: z.string(),
}

/** One family as a map; a family of one main parameter may have it alone. */
function familySchema({ ways, main }: Family): z.ZodType {
  const keys = [...new Set(ways.flat())] as Parameter[]
  const shape = Object.fromEntries(keys.map((key) => [key, parameterSchema[PARAMETERS[key]].optional()]))
  const map = z.strictObject(shape)
  return main === 'mean' ? either('its mean, or a map with mean', [PlainDuration, map]) : map
}

const mapOf = (use: Use) =>
  z
    .strictObject(
      Object.fromEntries(
        Object.entries(FAMILIES).map(([name, family]) => [name, familySchema(family).optional()]),
      ),
    )
    .check((context) => {
      const say = (message: string, ...path: string[]) => {
        context.issues.push({ code: 'custom', input: context.value, message, path })
      }
      const names = Object.keys(context.value)
      const [name] = names
      if (name === undefined || names.length > 1) {
        say(`one distribution, such as { lognormal: { p50: 18s, p95: 60s } }\n${ALLOWED}`)
        return
      }
      const misused = useProblem(name, use)
      const result = misused === undefined ? readMap(context.value) : { problem: misused }
      if ('problem' in result) say(result.problem, name, ...(result.key === undefined ? [] : [result.key]))
    })

/** One schema for each use, so that the JSON Schema says it once. */
const MAPS = {
  job: mapOf('job').meta({ id: 'Length' }),
  world: mapOf('world').meta({ id: 'Distribution' }),
  policy: mapOf('policy').meta({ id: 'Interval' }),
}

/** A distribution written as a map: `{ lognormal: { p50: 18s, p95: 60s } }`. */
export const distributionMap = (use: Use) => MAPS[use]

function readMap(value: object): Read | Wrong {
  const [[name, inner] = ['', undefined]] = Object.entries(value) as [string, unknown][]
  const main = FAMILIES[name]?.main
  return fromParameters(name, (typeof inner === 'object' ? inner : { [main ?? '']: inner }) as Given)
}

const WHAT = 'a duration, a range such as 20ms..80ms or a distribution such as exponential:20s'

/** The branches of a union that takes a distribution written as a text. */
export const distributionWord = (use: Use) =>
  [z.literal(0), word((value) => distributionProblem(value, use), DISTRIBUTION_PATTERN)] as const

/** A distribution in any form. */
export const distribution = (use: Use, description: string) =>
  either(WHAT, [...distributionWord(use), distributionMap(use)]).meta({ description })

/** What a checked value comes to. Only a place of the world or the job needs `readColumn`. */
export function resolveDistribution(value: unknown, readColumn?: ReadColumn): Distribution {
  const result = typeof value === 'object' && value !== null ? readMap(value) : readText(String(value), 'job')
  if ('problem' in result) throw new Error(`a checked distribution is wrong: ${result.problem}`)
  if (result.of !== 'column') return result
  if (readColumn === undefined) throw new Error('a distribution of a policy names a file')
  return { of: 'empirical', values: readColumn(result.ref) }
}

/** As a scenario writes it. A log-normal or Weibull one comes out in the parameters it was worked out to. */
export function distributionText(distribution: Distribution): string {
  const time = (us: number) => formatDuration(Math.round(us))
  switch (distribution.of) {
    case 'fixed':
      return time(distribution.us)
    case 'uniform':
      return `${time(distribution.fromUs)}..${time(distribution.toUs)}`
    case 'exponential':
      return `exponential:${time(distribution.meanUs)}`
    case 'lognormal':
      return `lognormal:mean=${time(meanUs(distribution))},sigma=${Number(distribution.sigma.toFixed(6))}`
    case 'normal':
      return `normal:mean=${time(distribution.meanUs)},sd=${time(distribution.sdUs)}`
    case 'weibull':
      return `weibull:mean=${time(meanUs(distribution))},shape=${distribution.shape}`
    case 'pareto':
      return `pareto:min=${time(distribution.minUs)},shape=${distribution.shape},max=${time(distribution.maxUs)}`
    case 'grid':
      return `grid:${time(distribution.fromUs)}..${time(distribution.toUs)},points=${distribution.points}`
    case 'empirical':
      return `${distribution.values.length} measured values`
  }
}
