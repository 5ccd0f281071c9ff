/** What each row must meet: `p95(timeToLearn) <= 5s`. */
import { parseMetric, type MetricRef, type Subject } from './metric.ts'
import type { Path } from './node.ts'
import type { Say } from './surroundings.ts'
import { durationProblem, durationUs, octetsOf, quoted, shareOf, shareProblem } from './values.ts'

export const COMPARISONS = ['<=', '>=', '==', '!=', '<', '>'] as const
export type Comparison = (typeof COMPARISONS)[number]

export interface Threshold extends MetricRef {
  comparison: Comparison
  /** What the metric is compared with: ms for times, else a count. */
  value: number
  /** The value as written, for messages: `5s`. */
  written: string
  /** The whole expression. */
  expression: string
}

const EXPRESSION = /^\s*([\w.]+(?:\([^)]*\))?)\s*(<=|>=|==|!=|<|>)\s*(\S(?:.*\S)?)\s*$/

/** Reads an expression; a problem's further lines are hints. */
export function parseThreshold(
  expression: string,
  subject: Subject = 'task',
): { threshold: Threshold } | { problem: string } {
  const [, metric, comparison, written] = EXPRESSION.exec(expression) ?? []
  if (metric === undefined || written === undefined) {
    return {
      problem: `${quoted(expression)} is no comparison: write a metric, one of ${COMPARISONS.join(' ')} and a value, such as timeToLearn <= 5s`,
    }
  }
  const parsed = parseMetric(metric, subject)
  if ('problem' in parsed) return parsed
  const value = parseMetricValue(parsed.ref, written)
  if ('problem' in value) return value
  return {
    threshold: {
      ...parsed.ref,
      comparison: comparison as Comparison,
      value: value.value,
      written,
      expression: expression.trim(),
    },
  }
}

/** A value of a metric: ms for times, 0 to 1 for shares, else a number. */
export function parseMetricValue(ref: MetricRef, written: string): { value: number } | { problem: string } {
  if (ref.unit === 'time') {
    const problem = durationProblem(written)
    return problem === undefined
      ? { value: durationUs(written) / 1000 }
      : { problem: `${ref.text} is a time: ${problem}` }
  }
  if (ref.unit === 'share') {
    const isBare = /^(?:0|1|0?\.\d+)$/.test(written)
    const hint = isBare ? `: write ${Number((Number(written) * 100).toFixed(9))}%` : ''
    return shareProblem(written) === undefined
      ? { value: shareOf(written) }
      : { problem: `${ref.text} is a share: ${quoted(written)} is no percentage${hint || ', such as 95%'}` }
  }
  if (/^\d+(?:\.\d+)?$/.test(written)) return { value: Number(written) }
  if (durationProblem(written) === undefined) {
    return { problem: `${ref.text} is a count, ${written} is a time` }
  }
  const octets = ref.unit === 'octets' ? octetsOf(written) : undefined
  if (octets !== undefined) return { value: octets }
  return { problem: `${ref.text} is a count: ${quoted(written)} is no number` }
}

/** Expressions as demands; what cannot be asked of a task, or of a fleet, is reported. */
export const resolveThresholds = (
  expressions: readonly string[],
  path: Path,
  subject: Subject,
  say: Say,
): Threshold[] =>
  expressions.flatMap((expression, index) => {
    const parsed = parseThreshold(expression, subject)
    if ('threshold' in parsed) return [parsed.threshold]
    say([...path, index], parsed.problem)
    return []
  })
