import { spellDuration } from '../../sim/index.ts'
import type { Party, Row, RunRecord, Scenario } from '../../sim/index.ts'
import { counted, lateness } from './numbers.ts'
import { filesOf, runOf } from './pedigree.ts'
import { inSeconds, type Step, swimlaneOf } from './swimlane.ts'
import { textWidth } from './wrap.ts'

/** One run, to be drawn. */
export interface DrawnRun {
  scenario: Scenario
  row: Row
  records: readonly RunRecord[]
  /** When everything had settled, or the horizon. */
  endUs: number
}

/** A stretch of at least this share of the run in which nothing happens is named. */
const IDLE_SHARE = 1 / 10
const GAP_MIN = 26
/** What an arrow adds to its text: `── text ─▶`. */
const ARROW_EXTRA = 6
const LEGEND =
  'time runs downwards and is not to scale; ● update at the agent, ◆ the client learns, ┃ an open stream, ⋮ left out'

/** What happened on the wire, one lane for each party, time running downwards. */
export function asTimeline({ scenario, row, records, endUs }: DrawnRun): string {
  const steps = swimlaneOf(records, endUs)
  const name = row.mechanism === row.policy ? row.policy : `${row.mechanism} (${row.policy})`
  return [
    `${scenario.name}: ${name}`,
    `${filesOf(scenario)}, ${runOf(scenario)}`,
    LEGEND,
    '',
    ...draw(steps),
    '',
    closingLine(row),
    '',
  ].join('\n')
}

function closingLine(row: Row): string {
  const counts = [
    counted(row.requests, 'request'),
    ...(row.emptyPolls > 0 ? [`${counted(row.emptyPolls, 'poll')} without news`] : []),
    ...(row.streamEvents > 0 ? [counted(row.streamEvents, 'stream event')] : []),
    ...(row.webhookPosts > 0 ? [counted(row.webhookPosts, 'webhook post')] : []),
    ...(row.cuts > 0 ? [counted(row.cuts, 'cut')] : []),
    ...(row.reconnects > 0 ? [counted(row.reconnects, 'reconnect')] : []),
    ...(row.blindTimeMs > 0 ? [`${spellDuration(Math.round(row.blindTimeMs * 1000))} without a stream`] : []),
    counted(row.octets.total, 'octet'),
  ].join(', ')
  if (row.timeToLearnMs !== null) return `The end was learned ${lateness(row.timeToLearnMs)}: ${counts}.`
  return `The end was never learned${row.reason === undefined ? '' : `, because ${row.reason}`}: ${counts}.`
}

/** The lanes from left to right; nobody's lane is drawn who took no part. */
function lanesOf(steps: readonly Step[]): Party[] {
  const present = new Set(steps.flatMap((step) => (step.kind === 'mark' ? [step.at] : [step.from, step.to])))
  return (['client', 'agent', 'receiver'] as const).filter(
    (party) => party !== 'receiver' || present.has(party),
  )
}

function draw(steps: readonly Step[]): string[] {
  const lanes = lanesOf(steps)
  const gap = Math.max(
    GAP_MIN,
    ...steps.map((step) => (step.kind === 'arrow' ? textWidth(step.text) + ARROW_EXTRA : 0)),
  )
  const spanUs = (steps.at(-1)?.atUs ?? 0) - (steps[0]?.atUs ?? 0)
  const open = new Map<Party, number>()
  const bars = () => lanes.map((lane) => ((open.get(lane) ?? 0) > 0 ? '┃' : '│'))

  const lines = [{ time: '', drawn: lanes.map((lane) => lane.padEnd(gap + 1)).join('') }]
  let beforeUs: number | undefined
  for (const step of steps) {
    const idleUs = beforeUs === undefined ? 0 : step.atUs - beforeUs
    const isFold = step.kind === 'mark' && step.sign === '⋮'
    if (idleUs > 0 && idleUs >= spanUs * IDLE_SHARE && !isFold)
      lines.push({ time: `⋮ ${inSeconds(idleUs)}`, drawn: bars().join(' '.repeat(gap)) })
    if (step.kind === 'arrow' && step.stream === 'opens') open.set(step.from, (open.get(step.from) ?? 0) + 1)
    const drawn = step.kind === 'arrow' ? arrow(step, lanes, bars(), gap) : mark(step, lanes, bars(), gap)
    lines.push({ time: step.atUs === beforeUs ? '' : inSeconds(step.atUs), drawn })
    if (step.stream === 'closes') {
      const reader = step.kind === 'arrow' ? step.to : step.at
      open.set(reader, (open.get(reader) ?? 0) - 1)
    }
    beforeUs = step.atUs
  }
  const clock = Math.max(...lines.map(({ time }) => textWidth(time))) + 2
  return lines.map(({ time, drawn }) => `${time.padStart(clock)}  ${drawn}`.trimEnd())
}

/** `│── GetTask ──────▶│`: arrows run between neighbours; whoever sends to a lane further away crosses the one between. */
function arrow(
  step: Step & { kind: 'arrow' },
  lanes: readonly Party[],
  bars: readonly string[],
  gap: number,
): string {
  const [a, b] = [lanes.indexOf(step.from), lanes.indexOf(step.to)]
  const [left, right] = [Math.min(a, b), Math.max(a, b)]
  const width = (right - left) * (gap + 1) - 1
  const shaft = '─'.repeat(width - textWidth(step.text) - (ARROW_EXTRA - 1))
  const body = a < b ? `── ${step.text} ${shaft}▶` : `◀${shaft} ${step.text} ──`
  const between = ' '.repeat(gap)
  return [bars.slice(0, left + 1).join(between), body, bars.slice(right).join(between)].join('')
}

/** A mark stands beside its lane; a long text runs over the lanes to the right. */
function mark(
  step: Step & { kind: 'mark' },
  lanes: readonly Party[],
  bars: readonly string[],
  gap: number,
): string {
  const at = lanes.indexOf(step.at)
  const between = ' '.repeat(gap)
  const left = bars
    .slice(0, at)
    .map((bar) => `${bar}${between}`)
    .join('')
  const text = ` ${step.text}`
  const rest = bars
    .slice(at + 1)
    .map((bar) => `${between}${bar}`)
    .join('')
  const line = `${left}${step.sign}${text}`
  const full = `${left}${step.sign}${rest}`
  return textWidth(text) >= gap ? line : `${line}${Array.from(full).slice(textWidth(line)).join('')}`
}
