/** The columns of the comparison: one definition for every format and for the README. */
import { aggregateOf, appliesTo, metricOf, spellDuration, valueAt } from '../../sim/index.ts'
import type { Metric, Policy, Row } from '../../sim/index.ts'
import { averaged, lateness, withThousands } from './numbers.ts'

/** A row with the policy it is of. */
export interface Told {
  row: Row
  policy: Policy | undefined
}

export interface Column {
  title: string
  /** The unit of `raw`; `undefined` for text. */
  unit: 'count' | 'octets' | 'ms' | 's' | 'share' | '1/s' | undefined
  /** What the number says, as a sentence for people. */
  meaning: string
  align: 'left' | 'right'
  /** Columns of one group stand together. */
  group: 'mechanism' | 'requests' | 'octets' | 'lateness' | 'knowledge' | 'trouble' | 'connections'
  /**
   * Where people read it: `always`; `applies`, if the question applies to any row;
   * `tells`, if some row has more to say than 0; `asked`, if the scenario demands
   * or expects something of its metric.
   */
  shown: 'always' | 'applies' | 'tells' | 'asked'
  /** The metric it shows, as scenarios write it; `undefined` for what is no metric of its own. */
  metric: string | undefined
  /** For programs; `null` where the question does not apply. */
  raw(told: Told): string | number | null
  /** For people; `raw` with separators if absent. */
  spell?(told: Told): string
}

/** Stands where the question does not apply. */
export const NOT_APPLICABLE = '–'

/** The text of one cell. */
export function cellOf(column: Column, told: Told): string {
  if (column.spell !== undefined) return column.spell(told)
  const value = column.raw(told)
  if (value === null) return NOT_APPLICABLE
  return typeof value === 'number' ? withThousands(averaged(value)) : value
}

/** The columns that people are shown for these rows. */
export function columnsFor(rows: readonly Told[], asked: ReadonlySet<string>): Column[] {
  return COLUMNS.filter((column) => {
    const values = rows.map((told) => column.raw(told))
    const applies = values.some((value) => value !== null)
    switch (column.shown) {
      case 'always':
        return true
      case 'applies':
        return applies
      case 'tells':
        return values.some((value) => value !== null && value !== 0)
      case 'asked':
        return applies && column.metric !== undefined && asked.has(column.metric)
    }
  })
}

const UNITS = { count: 'count', octets: 'octets', time: 'ms', share: 'share', rate: '1/s' } as const

/** The column of a metric; what it is called and what it says stand in the table of metrics. */
function of(
  name: string,
  group: Column['group'],
  shown: Column['shown'],
  spell?: (value: number, told: Told) => string,
): Column {
  const metric = metricOf(name)
  const { title, meaning, unit, inSeconds } = metric
  const raw = (told: Told) => numberOf(metric, metric.path, told)
  return {
    title,
    unit: inSeconds === true ? 's' : UNITS[unit],
    meaning,
    align: 'right',
    group,
    shown,
    metric: name,
    raw,
    ...(spell && { spell: spelled(raw, spell) }),
  }
}

/** A column for one of the aggregates that a row keeps of its many updates or instants. */
function ofKept(name: string, aggregate: string): Column {
  const metric = metricOf(name)
  const raw = (told: Told) => numberOf(metric, [...metric.path, aggregate], told)
  return {
    title: `${aggregate} ${metric.title}`,
    unit: 'ms',
    meaning: metric.meaning,
    align: 'right',
    group: 'knowledge',
    shown: 'asked',
    metric: name,
    raw,
    spell: spelled(raw, duration),
  }
}

function numberOf(metric: Metric, path: readonly string[], { row, policy }: Told): number | null {
  const value = valueAt(row, path)
  const applies = metric.of === undefined || (policy !== undefined && appliesTo(metric, policy))
  return value === 0 && !applies ? null : value
}

const spelled =
  (raw: (told: Told) => number | null, spell: (value: number, told: Told) => string) =>
  (told: Told): string => {
    const value = raw(told)
    return value === null ? NOT_APPLICABLE : spell(value, told)
  }

/** Exact for one run; a mean over several is no more exact than they differ. */
const duration = (ms: number, { row }: Told): string =>
  spellDuration(Math.round((row.runs === undefined ? ms : averaged(ms)) * 1000))

const percent = (share: number): string => `${averaged(share * 100)} %`

const timeToLearn = metricOf('timeToLearn')

export const COLUMNS: readonly Column[] = [
  {
    title: 'mechanism',
    unit: undefined,
    meaning: 'How the client learns of updates; the label where the scenario gives one.',
    align: 'left',
    group: 'mechanism',
    shown: 'always',
    metric: undefined,
    raw: ({ row }) => row.mechanism,
  },
  of('requests', 'requests', 'applies'),
  of('webhookPosts', 'requests', 'applies'),
  of('streamEvents', 'requests', 'applies'),
  of('polls', 'requests', 'asked'),
  of('emptyPolls', 'requests', 'applies'),
  of('waste', 'requests', 'asked', percent),
  of('notModified', 'requests', 'tells'),
  of('heartbeats', 'requests', 'asked'),
  of('requestsPerSecond', 'requests', 'asked'),
  of('octets.up', 'octets', 'applies'),
  of('octets.down', 'octets', 'applies'),
  of('octets.head', 'octets', 'applies'),
  of('octets.body', 'octets', 'applies'),
  of('octets.waste', 'octets', 'asked'),
  of('octets.total', 'octets', 'applies'),
  {
    title: 'runs that learned',
    unit: 'count',
    meaning: 'Where a row is about several runs: in how many of them the client learned of the end.',
    align: 'right',
    group: 'lateness',
    shown: 'applies',
    metric: 'learned',
    raw: ({ row }) => row.runs?.outcomes.learned ?? null,
    spell: ({ row: { runs } }) =>
      runs === undefined
        ? NOT_APPLICABLE
        : `${withThousands(runs.outcomes.learned)} of ${withThousands(runs.count)}`,
  },
  {
    ...of('timeToLearn', 'lateness', 'always'),
    spell: (told) => {
      const { timeToLearnMs, outcome, runs } = told.row
      if (timeToLearnMs !== null)
        return lateness(runs === undefined ? timeToLearnMs : averaged(timeToLearnMs))
      return outcome === 'failed' ? 'failed' : 'never'
    },
  },
  {
    title: 'p95',
    unit: 'ms',
    meaning: 'The same for the run that 95 % of several runs do not exceed, never learned being the latest.',
    align: 'right',
    group: 'lateness',
    shown: 'applies',
    metric: undefined,
    raw: ({ row: { runs } }) =>
      runs === undefined
        ? null
        : (aggregateOf(runs.samples[timeToLearn.path.join('.')] ?? [], 'p95', timeToLearn) ?? null),
    spell: ({ row: { runs } }) => {
      const late =
        runs === undefined
          ? undefined
          : aggregateOf(runs.samples[timeToLearn.path.join('.')] ?? [], 'p95', timeToLearn)
      return late === undefined ? (runs === undefined ? NOT_APPLICABLE : 'never') : lateness(averaged(late))
    },
  },
  of('learnedAt', 'lateness', 'asked', duration),
  of('failedAt', 'lateness', 'tells', duration),
  ...['mean', 'p50', 'p95', 'max'].map((aggregate) => ofKept('lateness', aggregate)),
  ...['age', 'staleness'].flatMap((name) => ['mean', 'max'].map((aggregate) => ofKept(name, aggregate))),
  of('freshness', 'knowledge', 'asked', percent),
  of('updates.happened', 'knowledge', 'asked'),
  of('updates.learned', 'knowledge', 'asked'),
  of('updates.coalesced', 'knowledge', 'asked'),
  of('updates.lost', 'knowledge', 'tells'),
  of('updates.messagesLost', 'knowledge', 'asked'),
  of('updates.duplicate', 'knowledge', 'tells'),
  of('cuts', 'trouble', 'tells'),
  of('reconnects', 'trouble', 'tells'),
  of('blindTime', 'trouble', 'tells', duration),
  of('slowDowns', 'trouble', 'tells'),
  of('throttled', 'trouble', 'tells'),
  of('retries', 'trouble', 'tells'),
  of('removed', 'trouble', 'tells'),
  of('connections.opened', 'connections', 'applies'),
  of('connections.peak', 'connections', 'asked'),
  of('connectionTime', 'connections', 'applies', (seconds) => `${withThousands(averaged(seconds))} s`),
]
