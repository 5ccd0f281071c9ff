/** A job before its chances are drawn, and how one run's job comes of it. */
import { drawUs, gridPointUs, isFixed, type Distribution } from '../kernel/distribution.ts'
import type { RandomStream } from '../kernel/random.ts'
import { TERMINAL_WORDS, type StateWord } from '../protocol/states.ts'
import { instantUs, type Instant } from './instant.ts'
import type { Change, Content, Job, Leg, Update } from './scenario.ts'

/** When an update happens. What `every` says runs beside the others: no `after` counts from it. */
export type When =
  | { of: 'at'; instant: Instant }
  /** From the update before, the start, or the resume of a pause. */
  | { of: 'after'; wait: Distribution }
  /** Again and again, the first time one wait after `from`; `until` is the last instant. */
  | { of: 'every'; wait: Distribution; from: Instant | undefined; until: Instant | undefined }

export interface PlannedUpdate {
  when: When
  change: Change
  /** How the pause that this update begins ends; a pause without one never does. */
  resume: { after: Distribution; content: Content | undefined } | undefined
}

export interface JobPlan {
  message: Content | undefined
  pollHintUs: number | undefined
  /** `undefined` for a job that never ends or whose updates say how it ends. */
  length: Distribution | undefined
  updates: readonly PlannedUpdate[]
  /** How often `working` is told, evenly over the length, where there is no list of updates. */
  evenly: number
  /** What comes just before the end. */
  result: readonly Change[]
  /** The end, where no update says it: at the end of the length. */
  outcome: StateWord
}

/** More would fill the memory with updates rather than tell anything. */
export const MOST_UPDATES = 100_000

/** What one run draws from, and where it stops whatever happens. */
export interface Draws {
  random: RandomStream
  /** Number of the run, from 0: which point of a grid is its own. */
  run: number
  horizonUs: number
  /** The length where it is known beforehand, as those of many jobs at once are: then none is drawn. */
  lengthUs?: number
}

/** Whether two runs can differ in their jobs. */
export const isRandomJob = ({ length, updates }: JobPlan): boolean =>
  (length !== undefined && !isFixed(length)) ||
  updates.some(
    ({ when, resume }) =>
      (when.of !== 'at' && !isFixed(when.wait)) || (resume !== undefined && !isFixed(resume.after)),
  )

export const isTerminal = (change: Change): boolean =>
  change.of === 'status' && TERMINAL_WORDS.some((word) => word === change.state)

export const isPause = (change: Change): boolean =>
  change.of === 'status' && (change.state === 'input-required' || change.state === 'auth-required')

/**
 * The job of one run. Draws its length first, then the waits of its updates in
 * the order they are written. An update that would come after the end does not happen.
 */
export function drawJob(plan: JobPlan, draws: Draws): Job {
  const lengthUs = drawLengthUs(plan, draws)
  const stretches = stretchesOf(plan.updates).map((planned) => drawStretch(planned, lengthUs, draws))
  const [first, ...afterPauses] = withEnd(stretches, plan, lengthUs)
  const end = (afterPauses.at(-1) ?? first)?.updates.at(-1)
  const legs = afterPauses.map(({ updates }, index): Leg => {
    const { resumeAfterUs = 0, answer } = stretches[index] as Stretch
    return { resumeAfterUs, content: answer, updates }
  })
  const resumesUs = legs.reduce((sum, { resumeAfterUs }) => sum + resumeAfterUs, 0)
  const workedUs = stretches.reduce((sum, { endUs = 0 }) => sum + endUs, 0)
  return {
    message: plan.message,
    updates: first?.updates ?? [],
    afterPauses: legs,
    durationUs: end !== undefined && isTerminal(end.change) ? workedUs + resumesUs : undefined,
    pollHintUs: plan.pollHintUs,
  }
}

/** The length of a run's job, if its plan has one. */
const drawLengthUs = ({ length }: JobPlan, { random, run, lengthUs }: Draws): number | undefined => {
  if (length === undefined) return undefined
  return lengthUs ?? (length.of === 'grid' ? gridPointUs(length, run) : drawUs(length, random))
}

/** What happens between two pauses; instants count from the resume of the first. */
interface Stretch {
  updates: readonly Update[]
  /** When it ends; `undefined` if it never does. */
  endUs: number | undefined
  /** How the pause at its end ends. */
  resumeAfterUs: number | undefined
  answer: Content | undefined
}

/** Cut after each pause; without any, one stretch. */
function stretchesOf(updates: readonly PlannedUpdate[]): PlannedUpdate[][] {
  const stretches: PlannedUpdate[][] = [[]]
  for (const [index, update] of updates.entries()) {
    stretches.at(-1)?.push(update)
    if (isPause(update.change) && index < updates.length - 1) stretches.push([])
  }
  return stretches
}

function drawStretch(
  planned: readonly PlannedUpdate[],
  lengthUs: number | undefined,
  { random, horizonUs }: Draws,
): Stretch {
  const told: { atUs: number; change: Change; index: number }[] = []
  let beforeUs = 0
  for (const [index, { when, change }] of planned.entries()) {
    if (when.of === 'every') continue
    const atUs =
      when.of === 'at' ? (instantUs(when.instant, lengthUs) ?? 0) : beforeUs + drawUs(when.wait, random)
    told.push({ atUs, change, index })
    beforeUs = atUs
  }
  const last = told.at(-1)
  const endUs = last !== undefined && (isTerminal(last.change) || isPause(last.change)) ? last.atUs : lengthUs
  for (const [index, { when, change }] of planned.entries()) {
    if (when.of !== 'every') continue
    const fromUs = when.from === undefined ? 0 : (instantUs(when.from, lengthUs) ?? 0)
    const untilUs = (when.until && instantUs(when.until, lengthUs)) ?? Infinity
    // What falls on the end would only be told twice.
    const isInTime = (atUs: number) => atUs <= untilUs && atUs < (endUs ?? horizonUs)
    let atUs = fromUs + drawUs(when.wait, random)
    while (isInTime(atUs) && told.length <= MOST_UPDATES) {
      told.push({ atUs, change, index })
      atUs += drawUs(when.wait, random)
    }
  }
  const resume = planned.at(-1)?.resume
  return {
    updates: told
      .filter(({ atUs }) => endUs === undefined || atUs <= endUs)
      .sort((a, b) => a.atUs - b.atUs || a.index - b.index)
      .map(({ atUs, change }) => ({ atUs, change })),
    endUs,
    resumeAfterUs: resume && drawUs(resume.after, random),
    answer: resume?.content,
  }
}

/** The stretches with what is told evenly, with the result, and with an end that no update says. */
function withEnd(
  stretches: readonly Stretch[],
  { evenly, outcome, result }: JobPlan,
  lengthUs: number | undefined,
): Stretch[] {
  const last = stretches.at(-1) as Stretch
  const updates = [...last.updates]
  if (lengthUs !== undefined && !updates.some(({ change }) => isTerminal(change))) {
    for (let told = 1; told <= evenly; told++) {
      updates.push({ atUs: Math.round((told * lengthUs) / (evenly + 1)), change: statusOf('working') })
    }
    updates.push({ atUs: lengthUs, change: statusOf(outcome) })
  }
  const end = updates.at(-1)
  if (end !== undefined && isTerminal(end.change)) {
    updates.splice(-1, 0, ...result.map((change): Update => ({ atUs: end.atUs, change })))
  }
  return [...stretches.slice(0, -1), { ...last, updates }]
}

const statusOf = (state: StateWord): Change => ({ of: 'status', state, content: undefined })
