/** Many tasks, from the checked `fleet` of a file: how many, when they come, and what of it is counted. */
import type * as z from 'zod'
import { meanUs } from '../kernel/distribution.ts'
import { US_PER_SECOND, formatDuration, parseDuration } from '../kernel/units.ts'
import type { Columns } from './columns.ts'
import { resolveDistribution } from './distribution.ts'
import type { ArrivalsMap, FleetMap, TraceMap } from './fleet-schema.ts'
import type { Arrivals, Fleet, FleetSize, JobKind, Trace } from './fleet.ts'
import type { MapNode } from './node.ts'
import { placeOf } from './node.ts'
import { resolveFactor } from './policies/reactions.ts'
import type { Say, Surroundings } from './surroundings.ts'
import { durationUs, perSecondOf } from './values.ts'

export type FleetInput = z.output<typeof FleetMap>

/** Beyond this a run takes days, whatever computes it. */
const MOST_TASKS = 10_000_000_000

/** As many numbers as a result may tell over time. */
const MOST_BINS = 10_000_000

const HOURS = 24

/** How long a run goes on for tasks that are not over, if the scenario does not say. */
const LONGEST_COOLDOWN_US = parseDuration('1h') as number

/** The recorded tasks that a fleet names; `undefined` after reporting what is wrong. */
export function resolveTrace(
  { file, at, duration, client, rows, speed }: z.output<typeof TraceMap>,
  root: MapNode,
  columns: Columns,
  say: Say,
): Trace | undefined {
  const path = ['fleet', 'trace'] as const
  if (file === undefined) say(path, 'which file? write trace: { file: traces/mine.csv, at: began }')
  else if (at === undefined) say(path, 'which column says when a task began? add at: began')
  if (file === undefined || at === undefined) return undefined
  const spec = { at, duration, client, rows, speed: speed === undefined ? 1 : resolveFactor(speed) }
  const read = columns.readTrace(file, spec, placeOf(root, [...path, 'file']))
  if ('trace' in read) return read.trace
  say([...path, read.key], read.problem)
  return undefined
}

interface Settings {
  kinds: readonly JobKind[]
  trace: Trace | undefined
  /** As the scenario says it. */
  horizonUs: number | undefined
  /** Whether the jobs come to an end: `never`, `always`, or some of them. */
  ends: 'never' | 'always' | 'sometimes'
}

/** The fleet and where its run stops; `undefined` after reporting what is wrong. */
export function resolveFleet(
  input: FleetInput,
  { kinds, trace, horizonUs, ends }: Settings,
  around: Surroundings,
): { fleet: Fleet; horizonUs: number } | undefined {
  let isFine = true
  const say: Say = (path, message, key) => {
    isFine = false
    around.say(['fleet', ...path], message, key)
  }
  const times = resolveTimes(input, { trace, horizonUs, ends }, say)
  const tasks = tasksIn(input, kinds, trace, say)
  const arrivals = resolveArrivals(input, { tasks, trace, withinUs: times.withinUs }, { ...around, say })
  const clients = resolveClients(input, tasks, trace, say)
  checkCounts(kinds, tasks, say)
  if (!isFine || arrivals === undefined) return undefined
  const { warmupUs, windowUs, cooldownUs, binUs } = times
  return {
    fleet: { arrivals, jobs: kinds, warmupUs, windowUs, cooldownUs, clients, binUs },
    horizonUs: horizonUs ?? warmupUs + windowUs + (cooldownUs ?? LONGEST_COOLDOWN_US),
  }
}

interface Times extends Pick<Fleet, 'warmupUs' | 'windowUs' | 'cooldownUs' | 'binUs'> {
  /** In which time tasks come; `undefined` where nothing says it. */
  withinUs: number | undefined
}

function resolveTimes(
  { within, warmup, window, cooldown, bin, rate }: FleetInput,
  { trace, horizonUs, ends }: Omit<Settings, 'kinds'>,
  say: Say,
): Times {
  const warmupUs = durationUs(warmup ?? 0)
  const spanUs = trace === undefined ? undefined : (trace.atUs.at(-1) as number) + 1
  const givenUs = window === undefined ? undefined : durationUs(window)
  const withinUs =
    spanUs ??
    (within !== undefined ? durationUs(within) : givenUs === undefined ? undefined : warmupUs + givenUs)
  const windowUs = givenUs ?? windowOf()

  function windowOf(): number {
    if (spanUs !== undefined) {
      if (warmupUs >= spanUs)
        say(['warmup'], `the trace is over at ${formatDuration(spanUs)}, before the warm-up is`)
      return spanUs - warmupUs
    }
    if (horizonUs !== undefined) return horizonUs - warmupUs
    if (rate !== undefined) say(['rate'], 'a rate needs a window: add window: 1d', true)
    else if (ends !== 'always')
      say([], 'a job that never ends needs an end for the run: add horizon: 24h, or fleet.window')
    return Infinity
  }

  if (horizonUs !== undefined && horizonUs < warmupUs + windowUs) {
    const end = formatDuration(warmupUs + windowUs)
    say(
      ['window'],
      `the window ends at ${end}, and the run stops before that, at ${formatDuration(horizonUs)} (horizon)`,
    )
  }
  if (horizonUs !== undefined && windowUs <= 0)
    say(['warmup'], `the run stops at ${formatDuration(horizonUs)} (horizon), before the warm-up is over`)
  if (cooldown !== undefined && windowUs === Infinity)
    say(['cooldown'], 'a cool-down after what? add window: 1h', true)
  const binUs = bin === undefined ? US_PER_SECOND : durationUs(bin)
  if (windowUs !== Infinity && windowUs / binUs > MOST_BINS) {
    const count = Math.ceil(windowUs / binUs).toLocaleString('en')
    const wider = formatDuration(Math.ceil(windowUs / MOST_BINS / US_PER_SECOND) * US_PER_SECOND)
    say(
      [bin === undefined ? 'window' : 'bin'],
      `${formatDuration(windowUs)} in bins of ${formatDuration(binUs)} are ${count}, and at most ${MOST_BINS.toLocaleString('en')} are told: write bin: ${wider} or more`,
    )
  }
  // Who has only tasks that never end would wait for them in vain.
  const cooldownUs = cooldown !== undefined ? durationUs(cooldown) : ends === 'never' ? 0 : undefined
  return { warmupUs, windowUs, cooldownUs, binUs, withinUs }
}

/** How many tasks there are, where that is a number; `undefined` for a rate, and after reporting what is wrong. */
function tasksIn(
  { tasks, rate, trace, clients, tasksPerClient }: FleetInput,
  kinds: readonly JobKind[],
  recorded: Trace | undefined,
  say: Say,
): number | undefined {
  const sizes = { tasks, rate, trace }
  const [first, second] = (['tasks', 'rate', 'trace'] as const).filter((key) => sizes[key] !== undefined)
  if (first !== undefined && second !== undefined) {
    say([second], `${first} and ${second} exclude each other`, true)
    return undefined
  }
  if (rate !== undefined) return undefined
  const counts = kinds.flatMap(({ amount }) => (amount.of === 'count' ? [amount.count] : []))
  const counted = counts.length === kinds.length ? counts.reduce((sum, count) => sum + count, 0) : undefined
  const product = clients !== undefined && tasksPerClient !== undefined ? clients * tasksPerClient : undefined
  const given = recorded?.atUs.length ?? tasks
  if (trace !== undefined && recorded === undefined) return undefined
  if (given !== undefined && product !== undefined && given !== product) {
    say(
      ['tasksPerClient'],
      `${clients} clients with ${tasksPerClient} tasks each have ${product}, and there are ${given}: leave one of them out`,
      true,
    )
  }
  const all = given ?? product ?? counted
  if (all === undefined) say([], 'how many tasks? add tasks: 1000, rate: 200000/d, or a trace')
  else if (all > MOST_TASKS) say([first ?? 'tasksPerClient'], tooMany(all))
  return all
}

const tooMany = (tasks: number): string =>
  `${tasks.toLocaleString('en')} tasks would take days: at most ${MOST_TASKS.toLocaleString('en')}`

/** Whether the counts of kinds go into the tasks there are. */
function checkCounts(kinds: readonly JobKind[], tasks: number | undefined, say: Say): void {
  const counts = kinds.flatMap(({ amount }) => (amount.of === 'count' ? [amount.count] : []))
  const counted = counts.reduce((sum, count) => sum + count, 0)
  if (counts.length === 0 || tasks === undefined) return
  if (counted > tasks || (counted < tasks && counts.length === kinds.length))
    say(
      [],
      `the jobs count ${counted} tasks, and there are ${tasks}: let the counts add up, or give one kind a share`,
    )
}

interface ArrivalFacts {
  tasks: number | undefined
  trace: Trace | undefined
  withinUs: number | undefined
}

function resolveArrivals(
  input: FleetInput,
  { tasks, trace, withinUs }: ArrivalFacts,
  { say, columnAt }: Surroundings,
): Arrivals | undefined {
  const { rate, within } = input
  if (input.trace !== undefined) {
    for (const key of ['arrivals', 'within'] as const)
      if (input[key] !== undefined) say([key], `a trace says itself when tasks come: leave ${key} out`, true)
    return trace && { of: 'trace', trace, withinUs: withinUs ?? 0 }
  }
  const how = input.arrivals ?? 'poisson'
  if (how === 'together') {
    if (within !== undefined) say(['within'], 'together is all at once: leave within out', true)
    if (rate !== undefined) say(['rate'], 'a rate spreads tasks over time: with together write tasks', true)
    return tasks === undefined ? undefined : { of: 'together', tasks }
  }
  if (withinUs === undefined) {
    if (rate === undefined)
      say([], 'when do the tasks come? add window: 1h, within: 10m, or arrivals: together')
    return undefined
  }
  const perSecond = rate === undefined ? undefined : perSecondOf(rate)
  const expected = perSecond === undefined ? tasks : (perSecond * withinUs) / US_PER_SECOND
  if (expected === undefined) return undefined
  if (perSecond !== undefined && expected > MOST_TASKS) {
    say(['rate'], tooMany(Math.round(expected)))
    return undefined
  }
  const size: FleetSize =
    perSecond === undefined ? { of: 'tasks', tasks: expected } : { of: 'rate', perSecond }
  if (how === 'poisson') return { of: 'poisson', size, withinUs }
  if (how === 'even') {
    const whole = Math.round(expected)
    if (whole > 0) return { of: 'even', tasks: whole, withinUs }
    say(['rate'], `${rate} brings no task in ${formatDuration(withinUs)}`)
    return undefined
  }
  return resolveVaried(how as z.output<typeof ArrivalsMap>, size, withinUs, { say, columnAt })
}

/** A rate that changes with the time of day, or goes on and off. */
function resolveVaried(
  { daily, onOff }: z.output<typeof ArrivalsMap>,
  size: FleetSize,
  withinUs: number,
  { say, columnAt }: Surroundings,
): Arrivals | undefined {
  const path = ['arrivals']
  if (daily !== undefined && onOff !== undefined) {
    say([...path, 'onOff'], 'daily and onOff exclude each other', true)
    return undefined
  }
  if (daily !== undefined) {
    if (daily.length !== HOURS)
      say([...path, 'daily'], `a day has ${HOURS} hours: ${daily.length} weights stand here`)
    else if (!daily.some((weight) => weight > 0))
      say([...path, 'daily'], 'all weights are 0: no task ever comes')
    return { of: 'daily', size, withinUs, weights: daily }
  }
  if (onOff === undefined) {
    say(path, 'when do they come? write { daily: [ 24 weights ] } or { onOff: { busy: 10m, idle: 50m } }')
    return undefined
  }
  for (const key of ['busy', 'idle'] as const)
    if (onOff[key] === undefined)
      say([...path, 'onOff'], `how long ${key === 'busy' ? 'do tasks' : 'do none'} come? add ${key}: 10m`)
  const stretch = (key: 'busy' | 'idle') =>
    resolveDistribution(onOff[key] ?? '1s', columnAt(['fleet', ...path, 'onOff', key]))
  const [busy, idle] = [stretch('busy'), stretch('idle')]
  if (meanUs(busy) === 0) say([...path, 'onOff', 'busy'], 'who is busy for 0 has no time for any task')
  return { of: 'on-off', size, withinUs, busy, idle }
}

function resolveClients(
  { clients, tasksPerClient, rate, trace }: FleetInput,
  tasks: number | undefined,
  recorded: Trace | undefined,
  say: Say,
): number | undefined {
  if (trace?.client !== undefined) {
    const key = clients === undefined ? 'tasksPerClient' : 'clients'
    if (clients !== undefined || tasksPerClient !== undefined)
      say([key], `the trace says whose each task is (client): leave ${key} out`, true)
    return recorded?.client && recorded.client.reduce((most, client) => Math.max(most, client), 0) + 1
  }
  if (clients !== undefined) return clients
  if (tasksPerClient === undefined || tasksPerClient === 1) return undefined
  if (rate !== undefined) {
    say(['tasksPerClient'], 'how many tasks come is left to chance: with a rate write clients: 100', true)
    return undefined
  }
  return tasks === undefined ? undefined : Math.ceil(tasks / tasksPerClient)
}
