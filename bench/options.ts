/** The options of the command line: what they are called, and how their text becomes a value. */
import type { Options } from 'yargs'
import { UsageError } from './exit.ts'
import type { Format } from './present/index.ts'

/** What changes a scenario before it runs. */
export interface ScenarioOptions {
  mechanisms: readonly string[]
  sets: readonly string[]
  binding: string | undefined
  seed: number | undefined
  /** How many runs of each mechanism. */
  replications: number | undefined
  thresholds: readonly string[]
}

const FORMATS = ['table', 'markdown', 'csv', 'json'] as const satisfies Format[]

const FORMAT_OF_ENDING: Record<string, Format> = { txt: 'table', md: 'markdown', csv: 'csv', json: 'json' }

export interface OutFile {
  file: string
  format: Format
}

/** An option that may be given several times, and one that may be given once. */
const MANY = { array: true, string: true, requiresArg: true } as const
const ONCE = { string: true, requiresArg: true } as const

export const OPTIONS = {
  mechanism: {
    ...MANY,
    alias: 'm',
    describe: "policy to compare, such as poll:7s; replaces the scenario's list",
  },
  set: { ...MANY, describe: 'change a value of the scenario: path=value' },
  binding: { ...ONCE, describe: 'HTTP+JSON or JSONRPC' },
  seed: { ...ONCE, describe: 'seed of all chance' },
  replications: { ...ONCE, describe: 'how many runs of each mechanism, each with a seed of its own' },
  threshold: { ...MANY, describe: "what each row must meet, such as 'timeToLearn <= 5s'; else exit 99" },
  format: { ...ONCE, describe: `${FORMATS.join(', ')}`, defaultDescription: 'table' },
  out: { ...MANY, describe: 'write to a file as well, in the format of its ending: .txt .md .csv .json' },
  workers: {
    ...ONCE,
    describe: 'threads that share the runs; the result is the same',
    defaultDescription: 'one, or every core for many runs',
  },
  bin: { ...ONCE, describe: 'width of the bins of what is told over time, such as 1m' },
  series: { boolean: true, describe: 'add what is told over time, bin by bin, to JSON and CSV' },
  shard: { ...ONCE, describe: 'play one of n shares, such as 2/8, for merge to join' },
  quiet: { boolean: true, describe: 'no notes on stderr' },
  port: { ...ONCE, describe: 'port to listen on; 0 for any free one', defaultDescription: '4100' },
  host: {
    ...ONCE,
    describe: 'address or name to listen on; 0.0.0.0 for all of this machine',
    defaultDescription: '127.0.0.1',
  },
  speed: { ...ONCE, describe: 'how many times as fast as real time', defaultDescription: '1' },
  'remote-webhooks': {
    boolean: true,
    describe: 'post webhooks to other machines too: no address is checked then',
  },
  check: { boolean: true, describe: 'compare only; exit 99 if something differs' },
  heartbeat: {
    ...ONCE,
    describe: 'periods of heartbeats to compare, with commas: none,15s,50s',
    defaultDescription: 'none,15s,50s,90s',
  },
  all: { boolean: true, describe: 'list every policy of the library' },
  runs: { ...ONCE, describe: 'how many runs to draw', defaultDescription: '1000' },
  plant: { ...ONCE, describe: 'plant a mistake and see that it is found: a name, or all' },
  studies: {
    boolean: true,
    describe: 'run the shipped cases and studies: claimed or expected against obtained',
  },
} as const satisfies Record<string, Options>

export type OptionName = keyof typeof OPTIONS

/** What yargs made of the command line: values by option, none checked. */
export type Given = Readonly<Record<string, unknown>>

const list = (given: Given, option: OptionName): string[] => {
  const values = given[option] as string[] | undefined
  if (values?.some((value) => value === '')) throw new UsageError(`--${option} needs a value`)
  return values ?? []
}

const single = (given: Given, option: OptionName): string | undefined => {
  const value = given[option]
  if (Array.isArray(value)) throw new UsageError(`--${option} is there twice: ${value.join(', ')}`)
  if (value === '') throw new UsageError(`--${option} needs a value`)
  return value as string | undefined
}

/** @throws UsageError if `text` is no whole number from `least` on, up to `most` if that is given */
function wholeNumber(option: OptionName, text: string, least: number, most?: number): number {
  const value = Number(text)
  if (/^\d+$/.test(text) && Number.isSafeInteger(value) && value >= least && value <= (most ?? value))
    return value
  const range = most !== undefined ? ` from ${least} to ${most}` : least > 0 ? ` from ${least} on` : ''
  throw new UsageError(`--${option} ${text} is not a whole number${range}`)
}

export function scenarioOptions(given: Given): ScenarioOptions {
  const seed = single(given, 'seed')
  const replications = single(given, 'replications')
  return {
    mechanisms: list(given, 'mechanism'),
    sets: list(given, 'set'),
    binding: single(given, 'binding'),
    seed: seed === undefined ? undefined : wholeNumber('seed', seed, 0),
    replications: replications === undefined ? undefined : wholeNumber('replications', replications, 1),
    thresholds: list(given, 'threshold'),
  }
}

export function formatOption(given: Given): Format {
  const format = single(given, 'format') ?? 'table'
  const known = FORMATS.find((name) => name === format)
  if (known !== undefined) return known
  if (format === 'html') throw new UsageError('the format html is not part of this release')
  throw new UsageError(`there is no format ${format}: choose ${FORMATS.join(', ')}`)
}

export function outOption(given: Given): OutFile[] {
  return list(given, 'out').map((file) => {
    const ending = /\.([^./\\]+)$/.exec(file)?.[1]?.toLowerCase() ?? ''
    const format = FORMAT_OF_ENDING[ending]
    if (format !== undefined) return { file, format }
    if (ending === 'html') throw new UsageError(`--out ${file}: the format html is not part of this release`)
    throw new UsageError(`--out ${file}: the ending says the format: .txt, .md, .csv or .json`)
  })
}

/** @returns `undefined` if it is left to us; what stands between commas as it was written */
export const heartbeatOption = (given: Given): string[] | undefined =>
  single(given, 'heartbeat')
    ?.split(',')
    .map((text) => text.trim())

/** @returns `undefined` if it is left to us */
export function workersOption(given: Given): number | undefined {
  const text = single(given, 'workers')
  return text === undefined ? undefined : wholeNumber('workers', text, 1)
}

/** @returns `undefined` if it is left to the scenario */
export const binOption = (given: Given): string | undefined => single(given, 'bin')

/** @returns `undefined` for all of it */
export function shardOption(given: Given): { i: number; n: number } | undefined {
  const text = single(given, 'shard')
  if (text === undefined) return undefined
  const [, i = '', n = ''] = /^(\d+)\/(\d+)$/.exec(text) ?? []
  const shard = { i: Number(i), n: Number(n) }
  if (i !== '' && Number.isSafeInteger(shard.n) && shard.i >= 1 && shard.i <= shard.n) return shard
  throw new UsageError(`--shard ${text} is no share: write 1/8 for the first of eight, up to 8/8`)
}

/** Which runs of the swarm are drawn. */
export const swarmOptions = (given: Given): { seed: number; runs: number } => ({
  seed: wholeNumber('seed', single(given, 'seed') ?? '1', 0),
  runs: wholeNumber('runs', single(given, 'runs') ?? '1000', 1, 10_000_000),
})

export const plantOption = (given: Given): string | undefined => single(given, 'plant')

/** Where `serve` listens. Nobody else on the network can call it unless its host says so. */
export const addressOption = (given: Given): { host: string; port: number } => ({
  host: single(given, 'host') ?? '127.0.0.1',
  port: wholeNumber('port', single(given, 'port') ?? '4100', 0, 65_535),
})

/** @throws UsageError unless the speed is a number above 0 and at most `max` */
export function speedOption(given: Given, max: number): number {
  const text = single(given, 'speed') ?? '1'
  const speed = Number(text)
  if (/^\d+(\.\d+)?$/.test(text) && speed > 0 && speed <= max) return speed
  throw new UsageError(
    `--speed ${text} is not a number above 0, up to ${max}: 100 makes a job of 100 s take one second`,
  )
}

/** The words that change the scenario as `scenarioOptions` was given them, for results and messages. */
export const wordsOf = ({
  mechanisms,
  sets,
  binding,
  seed,
  replications,
  thresholds,
}: ScenarioOptions): string[] => [
  ...mechanisms.flatMap((word) => ['-m', word]),
  ...sets.flatMap((change) => ['--set', change]),
  ...(binding === undefined ? [] : ['--binding', binding]),
  ...(seed === undefined ? [] : ['--seed', String(seed)]),
  ...(replications === undefined ? [] : ['--replications', String(replications)]),
  ...thresholds.flatMap((expression) => ['--threshold', expression]),
]

/** `-mpoll:7s` as `-m poll:7s`: by itself, yargs reads letters behind one dash as an option each. */
export const valuesApart = (argv: readonly string[]): string[] =>
  argv.flatMap((word) => {
    const [, letter = '', value = ''] = /^-([a-z])([^=].*)$/.exec(word) ?? []
    return ALIASES.includes(letter) ? [`-${letter}`, value] : [word]
  })

/** Letters of options that take a value. */
const ALIASES = Object.values(OPTIONS).flatMap((option) =>
  'alias' in option ? [option.alias as string] : [],
)
