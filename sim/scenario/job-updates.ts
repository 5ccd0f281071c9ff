/** The updates of a job, from the checked list of a file. */
import type * as z from 'zod'
import { isFixed, meanUs, type Distribution } from '../kernel/distribution.ts'
import { formatDuration } from '../kernel/units.ts'
import type { StateWord } from '../protocol/states.ts'
import { contentOf } from './content.ts'
import { resolveDistribution, type ReadColumn } from './distribution.ts'
import { instantOf, instantUs, type Instant } from './instant.ts'
import { isPause, isTerminal, type PlannedUpdate, type When } from './job-plan.ts'
import type { UpdateMap } from './job-schema.ts'
import type { Path } from './node.ts'
import type { Change } from './scenario.ts'
import type { Say, Surroundings } from './surroundings.ts'
import { LONGEST_US, isShare } from './values.ts'

type UpdateInput = z.output<typeof UpdateMap>

/** What the job says beside its updates. */
export interface JobFacts {
  length: Distribution | undefined
  /** The length where it is not left to chance. */
  lengthUs: number | undefined
  /** As written: a length, `never`, or nothing. */
  duration: unknown
  outcome: StateWord | undefined
}

/** Reports a problem of an update, of one of its values, or of one of its keys. */
type Wrong = (message: string, key?: string, ofKey?: boolean) => void

/** The updates in the order of the file; `undefined` after reporting what is wrong with them. */
export function plannedUpdates(
  list: readonly UpdateInput[],
  job: JobFacts,
  { say, columnAt }: Surroundings,
): PlannedUpdate[] | undefined {
  const planned: PlannedUpdate[] = []
  let faulty = false
  /** The instant of the update before, from the start or the last resume; unknown where chance decides. */
  let beforeUs: number | undefined = 0
  let hasPaused = false
  /** Why nothing can follow. */
  let closed: string | undefined
  for (const [index, update] of list.entries()) {
    const path = ['job', 'updates', index] as const
    const wrong: Wrong = (message, key, ofKey) => {
      faulty = true
      say(key === undefined ? path : [...path, key], message, ofKey)
    }
    if (closed !== undefined) wrong(closed)
    const change = changeOf(update, path, wrong, say)
    const when = whenOf(update, { ...job, hasPaused }, wrong, (key) => columnAt([...path, key]))
    if (change === undefined || when === undefined) {
      faulty = true
      continue
    }
    const resume = resumeOf(update, change, wrong, () => columnAt([...path, 'resume', 'after']))
    planned.push({ when, change, resume })
    if (when.of === 'every') {
      if (change.of === 'status' && change.state !== 'working') {
        wrong(`${change.state} happens once: only working and artifacts come again and again`, 'status')
      }
      continue
    }
    const us = knownUs(when, beforeUs, job.lengthUs)
    const written =
      us === undefined || isShare(update.at) ? String(update.at ?? 'some time') : formatDuration(us)
    if (us !== undefined)
      checkOrder(us, written, beforeUs, job.lengthUs, (message) => wrong(message, when.of))
    if (isTerminal(change) && closed === undefined) {
      const { state } = change as { state: StateWord }
      closed = `nothing happens after a terminal state (${us === undefined ? state : `${state} at ${formatDuration(us)}`})`
      checkEnd(state, when, us, written, job, wrong)
    }
    beforeUs = us === undefined ? undefined : Math.max(beforeUs ?? 0, us)
    if (change.of === 'status' && isPause(change)) {
      hasPaused = true
      beforeUs = 0
      if (resume === undefined) {
        closed ??= `nothing happens after ${change.state} without resume: add resume: { after: 30s } to it`
      }
    }
  }
  return faulty ? undefined : planned
}

/** When an update happens, where that is not left to chance. */
function knownUs(
  when: Exclude<When, { of: 'every' }>,
  beforeUs: number | undefined,
  lengthUs: number | undefined,
): number | undefined {
  if (when.of === 'at') return instantUs(when.instant, lengthUs)
  return isFixed(when.wait) && beforeUs !== undefined ? beforeUs + when.wait.us : undefined
}

function checkOrder(
  us: number,
  written: string,
  beforeUs: number | undefined,
  lengthUs: number | undefined,
  wrong: (message: string) => void,
): void {
  if (us > LONGEST_US) wrong(`this is more than ${formatDuration(LONGEST_US)} after the start`)
  else if (beforeUs !== undefined && us < beforeUs) {
    wrong(`${written} lies before the update above it (${formatDuration(beforeUs)})`)
  } else if (lengthUs !== undefined && us > lengthUs) {
    wrong(`${written} lies after the end of the job (${formatDuration(lengthUs)})`)
  }
}

/** Whether a terminal update fits what the job says of its end. */
function checkEnd(
  state: StateWord,
  when: Exclude<When, { of: 'every' }>,
  us: number | undefined,
  written: string,
  { length, lengthUs, duration, outcome }: JobFacts,
  wrong: Wrong,
): void {
  const isAtTheEnd = when.of === 'at' && when.instant.of === 'share' && when.instant.share === 1
  if (length !== undefined && !isAtTheEnd && (us === undefined || us !== lengthUs)) {
    const says =
      lengthUs === undefined
        ? typeof duration === 'string'
          ? duration
          : 'another'
        : formatDuration(lengthUs)
    wrong(`the job ends at ${written}, but duration says ${says}`, when.of)
  }
  if (outcome !== undefined && outcome !== state) {
    wrong(`the job ends as ${state}, but outcome says ${outcome}`, 'status')
  }
}

const MEANINGS = {
  at: 'an instant from the start',
  after: 'a wait from the update before',
  every: 'again and again',
} as const

/** When an update happens; `undefined` after reporting that it does not say, or that nobody can know. */
function whenOf(
  update: UpdateInput,
  { length, duration, hasPaused }: JobFacts & { hasPaused: boolean },
  wrong: Wrong,
  columnOf: (key: string) => ReadColumn,
): When | undefined {
  const [first, second] = (['at', 'after', 'every'] as const).filter((key) => update[key] !== undefined)
  if (first === undefined) {
    wrong('when does it happen? write at: 20s, after: 5s from the update before, or every: 4m')
    return undefined
  }
  if (second !== undefined) {
    wrong(
      `${first} and ${second} exclude each other: ${MEANINGS[first]}, or ${MEANINGS[second]}`,
      second,
      true,
    )
    return undefined
  }
  let isKnown = true
  const instantAt = (key: 'at' | 'from' | 'until'): Instant | undefined => {
    const value = update[key]
    if (value === undefined) return undefined
    const instant = instantOf(value)
    const problem = hasPaused
      ? `after a pause nobody knows the instant beforehand: ${key === 'at' ? 'use after, counted from the resume' : `leave ${key} out`}`
      : instant.of === 'share' && length === undefined
        ? `${value} of what? ${duration === 'never' ? 'the job never ends: write a duration' : "add the job's length: duration: 100s"}`
        : undefined
    if (problem !== undefined) {
      wrong(problem, key)
      isKnown = false
    }
    return instant
  }
  for (const key of ['from', 'until'] as const) {
    if (first !== 'every' && update[key] !== undefined) wrong(`${key} belongs to every`, key, true)
  }
  if (first === 'at') {
    const instant = instantAt('at') as Instant
    return isKnown ? { of: 'at', instant } : undefined
  }
  const wait = resolveDistribution(update[first], columnOf(first))
  if (first === 'after') return { of: 'after', wait }
  const [from, until] = [instantAt('from'), instantAt('until')]
  if (meanUs(wait) === 0) wrong('every 0 would never let time pass: write 1ms or more', 'every')
  const beginsUs = instantUs(from ?? START, undefined)
  const endsUs = until && instantUs(until, undefined)
  if (beginsUs !== undefined && endsUs !== undefined && endsUs <= beginsUs) {
    wrong(`${update.until} is no later than ${update.from ?? 'the start'}`, 'until')
  }
  return { of: 'every', wait, from, until }
}

const START: Instant = { of: 'time', us: 0 }

/** How a pause ends. */
function resumeOf(
  { resume }: UpdateInput,
  change: Change,
  wrong: Wrong,
  column: () => ReadColumn,
): PlannedUpdate['resume'] {
  if (resume === undefined) return undefined
  if (!isPause(change)) {
    wrong('only input-required and auth-required are resumed', 'resume', true)
    return undefined
  }
  if (resume.after === undefined) {
    wrong('when is it resumed? write resume: { after: 30s }', 'resume')
    return undefined
  }
  const content = contentOf(resume, [], (_path, message) => wrong(message, 'resume'))
  if (content !== undefined && change.of === 'status' && change.state === 'auth-required') {
    wrong('an authorisation from outside says nothing: text and octets are for input-required', 'resume')
  }
  return { after: resolveDistribution(resume.after, column()), content }
}

function changeOf(update: UpdateInput, path: Path, wrong: Wrong, say: Say): Change | undefined {
  const { status, artifact } = update
  const content = contentOf(update, path, (at, message, key) => {
    say(at, message, key)
    wrong(message, String(at.at(-1)), key)
  })
  if (status !== undefined && artifact !== undefined) {
    wrong('status and artifact exclude each other: an update is one of the two', 'artifact', true)
    return undefined
  }
  if (artifact !== undefined) {
    return {
      of: 'artifact',
      artifact,
      content,
      append: update.append ?? false,
      lastChunk: update.lastChunk ?? false,
    }
  }
  if (status === undefined) {
    wrong('what happens? write status: working, or artifact: report')
    return undefined
  }
  for (const key of ['append', 'lastChunk'] as const) {
    if (update[key] !== undefined) wrong(`${key} belongs to an artifact, not to a status`, key, true)
  }
  return { of: 'status', state: status, content }
}
