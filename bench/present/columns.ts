/** The columns of the comparison: one definition for every format and for the README. */
import type { Row } from '../../sim/index.ts'
import { lateness, withThousands } from './numbers.ts'

export interface Column {
  title: string
  /** The unit of `raw`; `undefined` for text. */
  unit: 'count' | 'octets' | 'ms' | 's' | undefined
  /** What the number says, as a sentence for people. */
  meaning: string
  align: 'left' | 'right'
  /** Columns of one group stand together. */
  group: 'mechanism' | 'requests' | 'octets' | 'lateness' | 'connections'
  /** For programs; `null` where the question does not apply. */
  raw(row: Row): string | number | null
  /** For people; `raw` with separators if absent. */
  spell?(row: Row): string
}

/** Stands where the question does not apply. */
export const NOT_APPLICABLE = '–'

/** The text of one cell. */
export function cellOf(column: Column, row: Row): string {
  if (column.spell !== undefined) return column.spell(row)
  const value = column.raw(row)
  if (value === null) return NOT_APPLICABLE
  return typeof value === 'number' ? withThousands(value) : value
}

const uses = (row: Row, kind: 'stream' | 'push'): boolean =>
  new RegExp(String.raw`(^|[>+=])${kind}\b`).test(row.policy)

export const COLUMNS: readonly Column[] = [
  {
    title: 'mechanism',
    unit: undefined,
    meaning: 'How the client learns of updates; the label where the scenario gives one.',
    align: 'left',
    group: 'mechanism',
    raw: (row) => row.mechanism,
  },
  {
    title: 'requests',
    unit: 'count',
    meaning: 'Requests the client sends to the agent: the send that begins the job, and every poll.',
    align: 'right',
    group: 'requests',
    raw: (row) => row.requests,
  },
  {
    title: 'webhook posts',
    unit: 'count',
    meaning: "Posts of the agent to the client's webhook, failed ones included.",
    align: 'right',
    group: 'requests',
    raw: (row) => (row.webhookPosts > 0 || uses(row, 'push') ? row.webhookPosts : null),
  },
  {
    title: 'stream events',
    unit: 'count',
    meaning: 'Server-sent events that arrived, the opening snapshot of the task included.',
    align: 'right',
    group: 'requests',
    raw: (row) => (row.streamEvents > 0 || uses(row, 'stream') ? row.streamEvents : null),
  },
  {
    title: 'empty polls',
    unit: 'count',
    meaning: 'Polls whose answer told nothing new.',
    align: 'right',
    group: 'requests',
    raw: (row) => (row.polls > 0 ? row.emptyPolls : null),
  },
  {
    title: 'octets up',
    unit: 'octets',
    meaning: "What the client's side sends: its requests, and its answers to webhook posts.",
    align: 'right',
    group: 'octets',
    raw: (row) => row.octets.up,
  },
  {
    title: 'octets down',
    unit: 'octets',
    meaning: "What the client's side receives: answers, stream events, and webhook posts.",
    align: 'right',
    group: 'octets',
    raw: (row) => row.octets.down,
  },
  {
    title: 'octets head',
    unit: 'octets',
    meaning: 'The part of the total that is HTTP/1.1: request and status lines, headers, chunk sizes.',
    align: 'right',
    group: 'octets',
    raw: (row) => row.octets.head,
  },
  {
    title: 'octets body',
    unit: 'octets',
    meaning: 'The part of the total that is content, `data: ` framing of stream events included.',
    align: 'right',
    group: 'octets',
    raw: (row) => row.octets.body,
  },
  {
    title: 'octets total',
    unit: 'octets',
    meaning: 'All octets on the wire, both ways: up + down, which is head + body.',
    align: 'right',
    group: 'octets',
    raw: (row) => row.octets.total,
  },
  {
    title: 'time to learn',
    unit: 'ms',
    meaning: 'From the instant the job ended at the agent to the instant the client knew.',
    align: 'right',
    group: 'lateness',
    raw: (row) => row.timeToLearnMs,
    spell: (row) =>
      row.timeToLearnMs === null
        ? row.outcome === 'failed'
          ? 'failed'
          : 'never'
        : lateness(row.timeToLearnMs),
  },
  {
    title: 'conn. opened',
    unit: 'count',
    meaning: 'TCP connections opened, those of webhook posts included.',
    align: 'right',
    group: 'connections',
    raw: (row) => row.connections.opened,
  },
  {
    title: 'conn. time',
    unit: 's',
    meaning: 'How long the connections were open, summed over all of them.',
    align: 'right',
    group: 'connections',
    raw: (row) => row.connections.seconds,
    spell: (row) => `${withThousands(row.connections.seconds)} s`,
  },
]
