/** The columns of the comparison of fleets: one definition for every format. */
import { noSteadyState, spellDuration } from '../../sim/index.ts'
import type { Estimate, Fleet, FleetRow } from '../../sim/index.ts'
import { NOT_APPLICABLE } from './columns.ts'
import { averaged, withThousands } from './numbers.ts'

/** A row with the fleet it is about. */
export interface FleetTold {
  row: FleetRow
  fleet: Fleet
}

export interface FleetColumn {
  title: string
  /** The unit of `raw`; `undefined` for text. */
  unit: 'count' | 'octets' | 'ms' | 's' | 'share' | '1/s' | undefined
  /** What the number says, as a sentence for people. */
  meaning: string
  align: 'left' | 'right'
  /** Columns of one group stand together. */
  group: 'mechanism' | 'tasks' | 'lateness' | 'load' | 'connections' | 'waiting' | 'trouble' | 'octets'
  /** Where people read it: `always`; `tells`, if some row has more to say than 0; `never`, what only programs are told. */
  shown: 'always' | 'tells' | 'never'
  /** For programs; `null` where there is no such number. */
  raw(told: FleetTold): string | number | null
  /** For people; `raw` with separators if absent. */
  spell?(told: FleetTold): string
}

/** The text of one cell. */
export function fleetCell(column: FleetColumn, told: FleetTold): string {
  if (column.spell !== undefined) return column.spell(told)
  const value = column.raw(told)
  if (value === null) return NOT_APPLICABLE
  return typeof value === 'number' ? withThousands(averaged(value)) : value
}

/** The columns that people are shown for these rows. */
export const fleetColumnsFor = (rows: readonly FleetTold[]): FleetColumn[] =>
  FLEET_COLUMNS.filter(
    (one) =>
      one.shown === 'always' ||
      (one.shown === 'tells' &&
        rows.map((told) => one.raw(told)).some((value) => value !== null && value !== 0)),
  )

type More = Partial<Pick<FleetColumn, 'unit' | 'align' | 'shown' | 'spell'>>

const column = (
  group: FleetColumn['group'],
  title: string,
  meaning: string,
  raw: FleetColumn['raw'],
  more: More = {},
): FleetColumn => ({ title, unit: 'count', meaning, align: 'right', group, shown: 'always', raw, ...more })

/** A mean with half the width of its 95 % confidence interval, which programs get in a column of its own. */
const estimated = (
  { group, title, meaning, unit }: Pick<FleetColumn, 'group' | 'title' | 'meaning' | 'unit'>,
  of: (told: FleetTold) => Estimate | null,
  spell: (value: number) => string,
  shown: FleetColumn['shown'] = 'always',
): FleetColumn[] => [
  column(group, title, meaning, (told) => of(told)?.value ?? null, {
    unit,
    shown,
    spell: (told) => {
      const estimate = of(told)
      if (estimate === null) return NOT_APPLICABLE
      const { value, plusMinus } = estimate
      return plusMinus === null ? spell(value) : `${spell(value)} ± ${spell(twoDigits(plusMinus))}`
    },
  }),
  column(
    group,
    `${title} ±`,
    `Half the width of the 95 % confidence interval of: ${title}.`,
    (told) => of(told)?.plusMinus ?? null,
    { unit, shown: 'never' },
  ),
]

/** An error is known no better than this. */
const twoDigits = (value: number): number => Number(value.toPrecision(2))

const duration = (ms: number): string => spellDuration(Math.round(averaged(ms) * 1000))
const plain = (value: number): string => withThousands(averaged(value))

/** What the quantiles and the mean of time are taken of: nothing where the load has no steady state. */
const spreadOf = ({ row }: FleetTold): FleetRow['timeToLearnMs'] =>
  row.overload === null ? row.timeToLearnMs : null

const quantile = (key: 'p50' | 'p90' | 'p95' | 'p99' | 'p999', title: string, more: More = {}): FleetColumn =>
  column(
    'lateness',
    title,
    `The time to learn that ${title.slice(1)} % of all tasks do not exceed, those that never learned being the latest.`,
    (told) => spreadOf(told)?.[key]?.value ?? null,
    {
      unit: 'ms',
      spell: (told) => {
        const spread = spreadOf(told)
        if (spread === null) return NOT_APPLICABLE
        return spread[key] === null ? 'never' : duration(spread[key].value)
      },
      ...more,
    },
  )

const waitingOf = ({ row }: FleetTold): FleetRow['waitingMs'] =>
  row.overload === null ? row.waitingMs : null

const count = (
  group: FleetColumn['group'],
  title: string,
  meaning: string,
  of: (row: FleetRow) => number,
  shown: FleetColumn['shown'],
): FleetColumn => column(group, title, meaning, ({ row }) => of(row), { shown })

/** Of all tasks that began in the window, those that did not learn of their end. */
export const notLearned = ({ outcomes }: FleetRow): number =>
  outcomes.notLearned + outcomes.failed + outcomes.unfinished

const DAY_S = 86_400

const octets = (part: 'up' | 'down' | 'head' | 'body' | 'total', meaning: string): FleetColumn =>
  column('octets', `octets ${part}`, meaning, ({ row }) => row.octets?.[part] ?? null, {
    unit: 'octets',
    shown: 'never',
  })

export const FLEET_COLUMNS: readonly FleetColumn[] = [
  column(
    'mechanism',
    'mechanism',
    'How the clients learn of updates; the label where the scenario gives one.',
    ({ row }) => row.mechanism,
    { unit: undefined, align: 'left' },
  ),
  count('tasks', 'tasks', 'Tasks that began in the window.', ({ tasks }) => tasks, 'always'),
  count(
    'tasks',
    'not learned',
    'Of them, those whose client never learned of the end.',
    notLearned,
    'always',
  ),
  count(
    'tasks',
    'unfinished',
    'Of those, tasks that were still under way when the run ended.',
    ({ outcomes }) => outcomes.unfinished,
    'tells',
  ),
  ...estimated(
    {
      group: 'lateness',
      title: 'time to learn',
      meaning: 'From the instant a task ended at the agent to the instant its client knew, on average.',
      unit: 'ms',
    },
    (told) => spreadOf(told)?.mean ?? null,
    duration,
  ),
  quantile('p50', 'p50'),
  quantile('p90', 'p90', { shown: 'never' }),
  quantile('p95', 'p95'),
  quantile('p99', 'p99'),
  quantile('p999', 'p99.9'),
  column('lateness', 'max', 'The longest time to learn.', (told) => spreadOf(told)?.max ?? null, {
    unit: 'ms',
    spell: (told) => {
      const max = spreadOf(told)?.max
      return max === null || max === undefined ? NOT_APPLICABLE : duration(max)
    },
  }),
  ...estimated(
    {
      group: 'load',
      title: 'req/s mean',
      meaning: 'Requests of the clients per second, on average over the window.',
      unit: '1/s',
    },
    ({ row }) => row.load.mean,
    plain,
  ),
  ...estimated(
    {
      group: 'load',
      title: 'req/s peak',
      meaning: 'The same in the busiest bin of the window.',
      unit: '1/s',
    },
    ({ row }) => row.load.peak,
    plain,
  ),
  count('load', 'requests', 'Requests the clients sent in the window.', ({ requests }) => requests, 'never'),
  count('load', 'polls', 'GetTask requests among them.', ({ polls }) => polls, 'never'),
  count(
    'load',
    'empty polls',
    'Polls whose answer told nothing new.',
    ({ emptyPolls }) => emptyPolls,
    'never',
  ),
  count(
    'load',
    'stream events',
    'Server-sent events that arrived.',
    ({ streamEvents }) => streamEvents,
    'never',
  ),
  count('load', 'heartbeats', 'Comment lines that arrived.', ({ heartbeats }) => heartbeats, 'never'),
  count(
    'load',
    'webhook posts',
    "Posts of the agent to the clients' webhooks, failed ones included.",
    ({ webhookPosts }) => webhookPosts,
    'tells',
  ),
  count('load', 'post retries', 'Posts tried again after a failure.', ({ retries }) => retries, 'tells'),
  ...estimated(
    {
      group: 'connections',
      title: 'conn. mean',
      meaning: 'TCP connections open, on average over the window.',
      unit: 'count',
    },
    ({ row }) => row.connectionsOpen.mean,
    plain,
  ),
  ...estimated(
    { group: 'connections', title: 'conn. peak', meaning: 'Most connections open at once.', unit: 'count' },
    ({ row }) => row.connectionsOpen.peak,
    plain,
  ),
  count(
    'connections',
    'conn. opened',
    'TCP connections opened.',
    ({ connections }) => connections.opened,
    'never',
  ),
  column(
    'connections',
    'conn. time',
    'How long connections were open, summed over all.',
    ({ row }) => row.connections.seconds,
    {
      unit: 's',
      shown: 'never',
    },
  ),
  ...estimated(
    {
      group: 'connections',
      title: 'in flight mean',
      meaning: 'Requests under way, on average over the window.',
      unit: 'count',
    },
    ({ row }) => row.requestsInFlight.mean,
    plain,
    'never',
  ),
  ...estimated(
    {
      group: 'connections',
      title: 'in flight peak',
      meaning: 'Most requests under way at once.',
      unit: 'count',
    },
    ({ row }) => row.requestsInFlight.peak,
    plain,
    'never',
  ),
  ...estimated(
    {
      group: 'waiting',
      title: 'waiting mean',
      meaning: 'From the arrival of a request at the agent until a handler takes it.',
      unit: 'ms',
    },
    (told) => waitingOf(told)?.mean ?? null,
    duration,
    'tells',
  ),
  column(
    'waiting',
    'waiting p95',
    'The wait that 95 % of requests do not exceed.',
    (told) => waitingOf(told)?.p95?.value ?? null,
    {
      unit: 'ms',
      shown: 'tells',
      spell: (told) => {
        const p95 = waitingOf(told)?.p95
        return p95 === null || p95 === undefined ? NOT_APPLICABLE : duration(p95.value)
      },
    },
  ),
  column('waiting', 'waiting max', 'The longest wait.', (told) => waitingOf(told)?.max ?? null, {
    unit: 'ms',
    shown: 'tells',
    spell: (told) => {
      const max = waitingOf(told)?.max
      return max === undefined ? NOT_APPLICABLE : duration(max)
    },
  }),
  column(
    'waiting',
    'load asked',
    'Set where there is no steady state: what is asked of the handlers, over what they can do.',
    ({ row }) => row.overload?.load ?? null,
    { unit: 'share', shown: 'tells' },
  ),
  count(
    'trouble',
    'rejected',
    'Requests turned away for want of room.',
    ({ rejected }) => rejected,
    'always',
  ),
  count('trouble', 'answers 429', 'Requests answered 429.', ({ throttled }) => throttled, 'always'),
  count(
    'trouble',
    'slow downs',
    'Polls the agent called too frequent.',
    ({ slowDowns }) => slowDowns,
    'tells',
  ),
  count(
    'trouble',
    'cuts',
    "Exchanges ended before their time and not by the client's wish.",
    ({ cuts }) => cuts,
    'tells',
  ),
  count(
    'trouble',
    'reconnects',
    'Streams opened again after the first.',
    ({ reconnects }) => reconnects,
    'tells',
  ),
  count(
    'trouble',
    'hooks removed',
    'Webhooks the agent gave up on and removed.',
    ({ removed }) => removed,
    'tells',
  ),
  count(
    'trouble',
    'updates lost',
    'Updates of which the client knew neither them nor one that replaces them.',
    ({ updates }) => updates.lost,
    'always',
  ),
  octets('up', "What the clients' side sends."),
  octets('down', "What the clients' side receives."),
  octets('head', 'The part of the total that is HTTP/1.1.'),
  octets('body', 'The part of the total that is content.'),
  octets('total', 'All octets on the wire, both ways.'),
  column(
    'octets',
    'octets per task',
    'All octets on the wire, both ways, over the tasks.',
    ({ row }) => (row.octets === null || row.tasks === 0 ? null : row.octets.total / row.tasks),
    { unit: 'octets', shown: 'tells' },
  ),
  column(
    'octets',
    'octets a day',
    'All octets on the wire in 24 hours that are as the window is.',
    ({ row, fleet }) =>
      row.octets === null || fleet.windowUs === Infinity
        ? null
        : (row.octets.total / (fleet.windowUs / 1e6)) * DAY_S,
    { unit: 'octets', shown: 'tells' },
  ),
  column(
    'mechanism',
    'checksum',
    'Over everything that was counted: equal for equal results.',
    ({ row }) => row.checksum,
    { unit: undefined, shown: 'never' },
  ),
]

/** Why a row has no times, in a sentence. */
export const overloadNote = ({ mechanism, overload }: FleetRow): string[] =>
  overload === null ? [] : [`${mechanism}: ${noSteadyState(overload)}`]
