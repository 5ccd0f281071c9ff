/** What the task does, from the checked `job` of a file. */
import type * as z from 'zod'
import { isFixed, type Distribution } from '../kernel/distribution.ts'
import { mayMove } from '../protocol/moves.ts'
import { type StateWord, WIRE_STATE } from '../protocol/states.ts'
import { contentOf, chunksOf } from './content.ts'
import { resolveDistribution } from './distribution.ts'
import { flatten } from './issues.ts'
import { isPause, isTerminal, type JobPlan } from './job-plan.ts'
import { JobMap } from './job-schema.ts'
import { plannedUpdates } from './job-updates.ts'
import type { Path } from './node.ts'
import type { Change } from './scenario.ts'
import type { Say, Surroundings } from './surroundings.ts'
import { durationUs } from './values.ts'

type JobInput = z.output<typeof JobMap>

/** The artifact of `job.result`. */
const RESULT_ARTIFACT = 'result'

/**
 * The job before its chances are drawn, or `undefined` after reporting what is wrong with it.
 *
 * @param recorded the lengths of jobs that were recorded: then `duration` says nothing
 */
export function resolveJob(
  input: JobInput,
  around: Surroundings,
  recorded?: Distribution,
): JobPlan | undefined {
  const { say, columnAt } = around
  if (recorded !== undefined && input.duration !== undefined) {
    say(['job', 'duration'], 'the trace says how long each job takes: leave duration out', true)
    return undefined
  }
  const length =
    recorded ??
    (input.duration === undefined || input.duration === 'never'
      ? undefined
      : resolveDistribution(input.duration, columnAt(['job', 'duration'])))
  const plan: JobPlan = {
    message: contentOf(input.message, ['job', 'message'], say),
    pollHintUs: input.pollHint === undefined ? undefined : durationUs(input.pollHint),
    length,
    updates: [],
    evenly: typeof input.updates === 'number' ? input.updates - 1 : 0,
    result: resultOf(input.result, say),
    outcome: input.outcome ?? 'completed',
  }
  const updates = Array.isArray(input.updates)
    ? plannedUpdates(
        input.updates,
        {
          length,
          lengthUs: length !== undefined && isFixed(length) ? length.us : undefined,
          duration: input.duration,
          outcome: input.outcome,
        },
        around,
      )
    : []
  if (updates === undefined) return undefined
  const whole = { ...plan, updates }
  return hasAnEnd(whole, input, say) && areMovesAllowed(whole, say) ? whole : undefined
}

/**
 * What else is wrong with a job the schema has complained of, so that all of
 * it is told at once: keys and updates that were complained of are left out.
 */
export function checkFaultyJob(value: unknown, { say, columnAt }: Surroundings): void {
  const faults = JobMap.safeParse(value).error?.issues ?? []
  if (typeof value !== 'object') return
  const job = structuredClone(value) as Record<string, unknown>
  const replaced = new Set<number>()
  for (const { issue, path } of flatten(faults, [])) {
    const [section, index] = path
    if (issue.code === 'unrecognized_keys') {
      const holder = path.reduce<unknown>((at, step) => (at as Record<string, unknown>)[step], job)
      for (const key of issue.keys) delete (holder as Record<string, unknown>)[key]
    } else if (section === 'updates' && typeof index === 'number') {
      replaced.add(index)
    } else if (section !== 'updates' && section !== 'duration') {
      delete job[String(section)]
    } else {
      return
    }
  }
  for (const index of replaced) (job['updates'] as unknown[])[index] = { after: 0, status: 'working' }
  const rest = JobMap.safeParse(job)
  if (!rest.success) return
  const sayOfTheRest: Say = (path, message, key) => {
    // What a replaced update may have said is unknown, so nothing is said about it or about what is missing.
    if (path.length > 1 && !replaced.has(path[2] as number)) say(path, message, key)
  }
  resolveJob(rest.data, { say: sayOfTheRest, columnAt })
}

/** False after reporting that nothing says how the job ends, or that two things do. */
function hasAnEnd({ length, updates, evenly }: JobPlan, input: JobInput, say: Say): boolean {
  const isEnded = updates.some(({ change }) => isTerminal(change))
  const isNever = input.duration === 'never'
  const lastPause = updates.findLast(({ change }) => isPause(change))
  const wrong = (message: string, ...path: string[]) => {
    say(['job', ...path], message)
    return false
  }
  if (isNever && isEnded) return wrong('the updates end the job, but duration says never', 'duration')
  if (isNever && evenly > 0) {
    return wrong('evenly over what? a job that never ends has no length: write a list', 'updates')
  }
  if (lastPause !== undefined && length !== undefined) {
    const instead = 'leave duration out, and end with { after: 20s, status: completed }'
    return wrong(`after a pause nobody knows the length beforehand: ${instead}`, 'duration')
  }
  const isForEver = isNever || (lastPause !== undefined && lastPause.resume === undefined)
  if (isForEver) {
    for (const key of ['outcome', 'result'] as const) {
      if (input[key] !== undefined) return wrong(`${key} belongs to the end, and this job never ends`, key)
    }
    return true
  }
  if (isEnded || length !== undefined) return true
  return wrong(
    lastPause === undefined
      ? 'how long does the job take? add duration: 20s, or a last update with a terminal status'
      : 'how does the job end after its pause? add a last update such as { after: 20s, status: completed }',
  )
}

/** False after reporting the first status the agent could not give its task. A task begins submitted. */
function areMovesAllowed({ updates, evenly, length, outcome }: JobPlan, say: Say): boolean {
  let from: StateWord = 'submitted'
  const move = (to: StateWord, path: Path): boolean => {
    if (!mayMove(WIRE_STATE[from], WIRE_STATE[to])) {
      const hint =
        to === 'rejected' ? ': an agent that has begun to work has accepted the task; try failed' : ''
      say(path, `a task that is ${from} cannot become ${to}${hint}`)
      return false
    }
    from = to
    return true
  }
  for (const [index, { change }] of updates.entries()) {
    if (change.of === 'status' && !move(change.state, ['job', 'updates', index, 'status'])) return false
  }
  if (evenly > 0) from = 'working'
  const isEnded = updates.some(({ change }) => isTerminal(change))
  return isEnded || length === undefined || move(outcome, ['job', 'outcome'])
}

/** The chunks of `job.result`, all at the instant of the end. */
function resultOf(input: JobInput['result'], say: Say): Change[] {
  if (input === undefined) return []
  const path: Path = ['job', 'result']
  const content = contentOf(input, path, say)
  const chunks = typeof input === 'object' ? (input.chunks ?? 1) : 1
  const parts = chunksOf(content, chunks, path, say)
  return parts.map((part, index) => ({
    of: 'artifact',
    artifact: RESULT_ARTIFACT,
    content: part,
    append: index > 0,
    lastChunk: index === parts.length - 1,
  }))
}
