/** The command line: names the commands, and turns what goes wrong into a message and an exit code. */
import { existsSync } from 'node:fs'
import yargs from 'yargs'
import { packageVersion } from './assets.ts'
import { EXIT, type ExitCode, UsageError } from './exit.ts'
import { LATER_OPTIONS, refuseLaterCommand, refuseLaterOption } from './later.ts'
import { type Given, OPTIONS, type OptionName, valuesApart } from './options.ts'
import { type Terminal, USUAL_COLUMNS } from './terminal.ts'

interface Command {
  /** The command with its arguments, as yargs writes them. */
  usage: string
  describe: string
  options: readonly OptionName[]
  examples: readonly (readonly [command: string, meaning: string])[]
  /** Loads the command's code only now. */
  run(words: readonly string[], given: Given, terminal: Terminal): Promise<ExitCode>
}

const CHANGES = ['mechanism', 'set', 'binding', 'seed'] as const satisfies OptionName[]

const COMMANDS: Record<string, Command> = {
  run: {
    usage: 'run [scenario..]',
    describe: 'play scenarios with their mechanisms and compare them (the default command)',
    options: [...CHANGES, 'replications', 'threshold', 'format', 'out', 'workers', 'quiet'],
    examples: [
      ['$0', 'the two shipped scenarios'],
      ['$0 scenarios/mine.yaml -m poll:5s -m stream --format json', 'your own scenario, as JSON'],
      ["$0 mine.yaml --threshold 'p95(timeToLearn) <= 5s'", 'exit 99 if a row is later'],
      ['$0 mine.yaml --set network.latency=50ms --out result.md', 'another latency, and a file'],
    ],
    run: async (...args) => (await import('./commands/run.ts')).run(...args),
  },
  fleet: {
    usage: 'fleet <scenario..>',
    describe: 'play many tasks at once: load, connections, lateness, octets; needs a fleet in the scenario',
    options: [
      ...CHANGES,
      'replications',
      'threshold',
      'format',
      'out',
      'workers',
      'bin',
      'series',
      'shard',
      'quiet',
    ],
    examples: [
      ['$0 fleet scenarios/thorough-search-fleet.yaml', '200,000 jobs a day'],
      [
        '$0 fleet mine.yaml --set fleet.tasks=6000 --bin 1m --series --out load.csv',
        'the load minute by minute',
      ],
      ['$0 fleet mine.yaml --shard 2/8 --out shard-2.json', 'the second of eight shares, for merge to join'],
    ],
    run: async (...args) => (await import('./commands/fleet.ts')).fleet(...args),
  },
  merge: {
    usage: 'merge [file..]',
    describe: 'join the shards of a fleet to the very result it would have been undivided',
    options: ['format', 'out', 'series', 'quiet'],
    examples: [['$0 merge shard-*.json --format json', 'all of them, in any order']],
    run: async (...args) => (await import('./commands/merge.ts')).merge(...args),
  },
  timeline: {
    usage: 'timeline <scenario>',
    describe: 'draw what happened on the wire, in virtual time',
    options: [...CHANGES, 'out', 'quiet'],
    examples: [['$0 timeline scenarios/seed-table.yaml -m poll:7s', 'one mechanism; without -m all of them']],
    run: async (...args) => (await import('./commands/timeline.ts')).timeline(...args),
  },
  show: {
    usage: 'show <scenario>',
    describe: 'print a scenario as resolved, and where each value came from',
    options: [...CHANGES, 'threshold', 'quiet'],
    examples: [['$0 show scenarios/seed-table.yaml --set job.duration=30s', 'with a change']],
    run: async (...args) => (await import('./commands/show.ts')).show(...args),
  },
  hops: {
    usage: 'hops <scenario>',
    describe: 'which hop cuts a stream, when, and what is lost: hops against heartbeats',
    options: [...CHANGES, 'heartbeat', 'format', 'quiet'],
    examples: [
      ['$0 hops scenarios/cases/nginx-idle-60s.yaml', 'with the usual heartbeats'],
      ['$0 hops mine.yaml --heartbeat none,15s,50s -m stream:reconnect=3s', 'with your own'],
    ],
    run: async (...args) => (await import('./commands/hops.ts')).hops(...args),
  },
  policies: {
    usage: 'policies [pattern]',
    describe: 'what the policy library holds: an overview, policies with their sources, or one explained',
    options: ['all', 'format'],
    examples: [
      ['$0 policies', 'the kinds of policies, and what each is called'],
      ["$0 policies 'aws/ec2.*'", 'a part of an id, a kind such as retry, or a pattern with stars'],
      ['$0 policies standard-webhooks', 'one of them in full'],
    ],
    run: async (...args) => (await import('./commands/policies.ts')).policies(...args),
  },
  swarm: {
    usage: 'swarm',
    describe:
      'draw scenarios, policies and faults from seeds, play them, and check what must hold in every run',
    options: ['runs', 'seed', 'plant', 'format', 'workers', 'quiet'],
    examples: [
      ['$0 swarm --runs 10000', 'seeds 1 to 10000'],
      ['$0 swarm --plant all --runs 10000', 'mistakes planted on purpose: each should be found'],
    ],
    run: async (...args) => (await import('./commands/swarm.ts')).swarm(...args),
  },
  serve: {
    usage: 'serve [scenario]',
    describe: 'answer on a real port: the imitation agent for curl, an SDK or a browser, until Ctrl-C',
    options: ['port', 'host', 'speed', 'set', 'remote-webhooks', 'quiet'],
    examples: [
      ['$0 serve', 'the venue finder on http://127.0.0.1:4100, in real time'],
      [
        '$0 serve scenarios/mine.yaml --port 0 --speed 100',
        'your own job, 100 times as fast, on any free port',
      ],
    ],
    run: async (...args) => (await import('./commands/serve.ts')).serve(...args),
  },
  reproduce: {
    usage: 'reproduce',
    describe:
      'rebuild results/golden and the scenario schema, and say what changed; or rerun the shipped studies',
    options: ['check', 'studies', 'format', 'workers', 'quiet'],
    examples: [
      ['$0 reproduce --check', 'compare only'],
      ['$0 reproduce --studies', 'what was claimed or is expected, and what comes out'],
    ],
    run: async (...args) => (await import('./commands/reproduce.ts')).reproduce(...args),
  },
}

const DEFAULT_COMMAND = 'run'

/** Runs one command line and tells how it ended; prints nothing but through `terminal`. */
export async function main(argv: readonly string[], terminal: Terminal): Promise<ExitCode> {
  try {
    return await dispatch(argv, terminal)
  } catch (error) {
    return explain(error, terminal)
  }
}

async function dispatch(argv: readonly string[], terminal: Terminal): Promise<ExitCode> {
  let code: ExitCode = EXIT.fine
  const parser = yargs()
    .scriptName('delivery-bench')
    .usage('How does a client learn that a long job finished? A virtual-time benchmark over A2A.')
    .parserConfiguration({
      'boolean-negation': false,
      'camel-case-expansion': false,
      'dot-notation': false,
      'greedy-arrays': false,
      'parse-numbers': false,
      'parse-positional-numbers': false,
    })
    .detectLocale(false)
    .wrap(Math.min(terminal.columns ?? USUAL_COLUMNS, USUAL_COLUMNS))
    .exitProcess(false)
    .showHelpOnFail(false)
    .fail((message: string | null, error: Error | null | undefined) => {
      if (error && error.name !== 'YError') throw error
      throw new UsageError(inOurWords(message ?? error?.message ?? ''))
    })
    .help()
    .alias('help', 'h')
    .version(packageVersion())
    .epilogue("A shell takes > for a redirection: quote it, as in -m 'stream>poll:30s'.")
  for (const [name, command] of Object.entries(COMMANDS))
    parser.command(
      name === DEFAULT_COMMAND ? [command.usage, '$0'] : command.usage,
      command.describe,
      (y) => {
        for (const option of command.options) y.option(option, OPTIONS[option])
        for (const [example, meaning] of command.examples) y.example(example, meaning)
        return y
      },
      async (given: Given) => {
        code = await runCommand(name, command, given, terminal)
      },
    )
  // yargs hands over what it would print (help, version) instead of printing it.
  let printed = ''
  await parser.parseAsync(valuesApart(argv), {}, (_error, _given, output) => {
    printed = output
  })
  if (printed !== '') terminal.stdout.write(`${printed}\n`)
  return code
}

/** What is left for yargs to complain about: an option or a command that stands alone. */
function inOurWords(message: string): string {
  const option = /^Not enough arguments following: (\S+)$/.exec(message)?.[1]
  if (option !== undefined) return `${option.length === 1 ? '-' : '--'}${option} needs a value`
  return message.startsWith('Not enough non-option arguments')
    ? 'which scenario? Name its file, such as scenarios/seed-table.yaml'
    : message
}

async function runCommand(
  name: string,
  command: Command,
  given: Given,
  terminal: Terminal,
): Promise<ExitCode> {
  const bare = given['_'] as string[]
  const byName = bare[0] === name
  const words = [
    given['scenario'] ?? given['file'] ?? given['pattern'] ?? [],
    byName ? bare.slice(1) : bare,
  ].flat() as string[]
  if (!byName) await refuseUnknownCommand(words[0])
  await refuseUnknownOptions(name, command, given)
  return command.run(words, given, terminal)
}

/**
 * The default command takes what is no command for a scenario's path: a bare
 * word that names no file was meant as a command.
 *
 * @throws UsageError
 */
async function refuseUnknownCommand(word: string | undefined): Promise<void> {
  if (word === undefined) return
  refuseLaterCommand(word)
  if (/[./\\]/.test(word) || existsSync(word)) return
  const { didYouMean } = await import('../sim/index.ts')
  throw new UsageError(
    `there is no command ${word}${didYouMean(word, Object.keys(COMMANDS))}\n` +
      `commands: ${Object.keys(COMMANDS).join(', ')}; a scenario is a file, such as scenarios/mine.yaml`,
  )
}

/** @throws UsageError for an option that this command does not have */
async function refuseUnknownOptions(name: string, command: Command, given: Given): Promise<void> {
  const known: readonly string[] = command.options
  const aliases = known.flatMap((option) =>
    'alias' in OPTIONS[option as OptionName] ? [option.slice(0, 1)] : [],
  )
  for (const key of Object.keys(given)) {
    if (
      ['_', '$0', 'scenario', 'pattern', 'file', 'help', 'h', 'version', ...known, ...aliases].includes(key)
    )
      continue
    refuseLaterOption(key)
    const other = optionCalled(key)
    if (other !== undefined) throw new UsageError(`${name} has no option --${other}: ${optionsOf(known)}`)
    const { didYouMean } = await import('../sim/index.ts')
    const written = `${key.length === 1 ? '-' : '--'}${key}`
    const near = didYouMean(
      written,
      [...known, ...LATER_OPTIONS].map((option) => `--${option}`),
    )
    throw new UsageError(`there is no option ${written}${near}\n${optionsOf(known)}`)
  }
}

/** The option with this name or alias, of whatever command. */
const optionCalled = (key: string): string | undefined =>
  Object.entries(OPTIONS).find(
    ([option, settings]) => option === key || ('alias' in settings && settings.alias === key),
  )?.[0]

const optionsOf = (known: readonly string[]): string =>
  `options: ${known.map((option) => `--${option}`).join(', ')}`

async function explain(error: unknown, { stderr }: Terminal): Promise<ExitCode> {
  if (error instanceof UsageError) {
    stderr.write(`delivery-bench: ${error.message}\n`)
    return EXIT.usage
  }
  const { ScenarioError, formatProblems } = await import('../sim/index.ts')
  if (error instanceof ScenarioError) {
    stderr.write(`${formatProblems(error.problems)}\n`)
    return EXIT.usage
  }
  if (error instanceof Error && error.name === 'StepLimitError') {
    // The engine names what was going on; what a user can do about it is in the scenario.
    stderr.write(`delivery-bench: this run is too long: ${error.message}\n`)
    stderr.write('Make the job shorter (--set job=…) or the interval longer (-m poll:…).\n')
    return EXIT.usage
  }
  const { message, stack } = error instanceof Error ? error : new Error(String(error))
  stderr.write(`delivery-bench: this is a bug of delivery-bench: ${message}\n`)
  stderr.write(process.env['DEBUG'] ? `${stack}\n` : 'Set DEBUG=1 to see where it happened.\n')
  return EXIT.fault
}
