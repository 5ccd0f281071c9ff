/** What the task does, from the checked `job` of a file. */
import type * as z from 'zod'
import { formatDuration } from '../kernel/units.ts'
import { mayMove } from '../protocol/moves.ts'
import { TERMINAL_WORDS, type StateWord, WIRE_STATE } from '../protocol/states.ts'
import { flatten } from './issues.ts'
import type { Path } from './node.ts'
import type { Change, Content, Job, Update } from './scenario.ts'
import { JobMap, type UpdateMap } from './schema.ts'
import { LONGEST_US, durationUs, instantUs, isShare, notYet, octetsOf } from './values.ts'

type JobInput = z.output<typeof JobMap>
type UpdateInput = z.output<typeof UpdateMap>

/** Reports a problem of the value at a path, or of its key. */
export type Say = (path: Path, message: string, key?: boolean) => void

/** Reports a problem of an update, of one of its values, or of one of its keys. */
type Wrong = (message: string, key?: string, ofKey?: boolean) => void

const CONTENT_KEYS = ['text', 'octets', 'data'] as const

/** The artifact of `job.result`. */
const RESULT_ARTIFACT = 'result'

/** The job, or `undefined` after reporting what is wrong with it. */
export function resolveJob(input: JobInput, say: Say): Job | undefined {
  const updates = resolveUpdates(input, say)
  const message = contentOf(input.message, ['job', 'message'], say)
  const result = contentOf(input.result, ['job', 'result'], say)
  if (updates === undefined || !areMovesAllowed(updates, input, say)) return undefined
  const end = updates.at(-1) as Update
  if (input.result !== undefined) {
    const chunk: Change = {
      of: 'artifact',
      artifact: RESULT_ARTIFACT,
      content: result,
      append: false,
      lastChunk: true,
    }
    updates.splice(-1, 0, { atUs: end.atUs, change: chunk })
  }
  return { message, updates, durationUs: end.atUs }
}

/**
 * What else is wrong with a job the schema has complained of, so that all of
 * it is told at once: keys and updates that were complained of are left out.
 */
export function checkFaultyJob(value: unknown, say: Say): void {
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
    } else if (section === 'message' || section === 'result' || section === 'outcome') {
      delete job[section]
    } else {
      return
    }
  }
  for (const index of replaced) (job['updates'] as unknown[])[index] = { after: 0, status: 'working' }
  const rest = JobMap.safeParse(job)
  if (!rest.success) return
  resolveJob(rest.data, (path, message, key) => {
    // What a replaced update may have said is unknown, so nothing is said about it or about what is missing.
    if (path.length > 1 && !replaced.has(path[2] as number)) say(path, message, key)
  })
}

/** The updates with the terminal one last. */
function resolveUpdates(input: JobInput, say: Say): Update[] | undefined {
  const lengthUs = input.duration === undefined ? undefined : durationUs(input.duration)
  const outcome: StateWord = input.outcome ?? 'completed'
  const listed = Array.isArray(input.updates) ? listedUpdates(input, input.updates, lengthUs, say) : []
  if (listed === undefined) return undefined
  if (listed.some(({ change }) => isTerminalChange(change))) return listed
  if (lengthUs === undefined) {
    say(['job'], 'how long does the job take? add duration: 20s, or a last update with a terminal status')
    return undefined
  }
  const count = typeof input.updates === 'number' ? input.updates : 1
  const spaced = Array.from({ length: count - 1 }, (_, index): Update => {
    const atUs = Math.round(((index + 1) * lengthUs) / count)
    return { atUs, change: { of: 'status', state: 'working', content: undefined } }
  })
  const end: Update = { atUs: lengthUs, change: { of: 'status', state: outcome, content: undefined } }
  return [...listed, ...spaced, end]
}

/** False after reporting the first status the agent could not give its task. A task begins submitted. */
function areMovesAllowed(updates: readonly Update[], input: JobInput, say: Say): boolean {
  let from: StateWord = 'submitted'
  for (const [index, { change }] of updates.entries()) {
    if (change.of !== 'status') continue
    const to = change.state
    if (!mayMove(WIRE_STATE[from], WIRE_STATE[to])) {
      const isListed = Array.isArray(input.updates) && index < input.updates.length
      const hint =
        to === 'rejected' ? 'an agent that has begun to work has accepted the task; try failed' : ''
      say(
        isListed ? ['job', 'updates', index, 'status'] : ['job', 'outcome'],
        `a task that is ${from} cannot become ${to}${hint && `: ${hint}`}`,
      )
      return false
    }
    from = to
  }
  return true
}

const isTerminalChange = (change: Change): boolean =>
  change.of === 'status' && TERMINAL_WORDS.some((word) => word === change.state)

function listedUpdates(
  input: JobInput,
  list: readonly UpdateInput[],
  lengthUs: number | undefined,
  say: Say,
): Update[] | undefined {
  let faulty = false
  const updates: Update[] = []
  let beforeUs = 0
  let ended: string | undefined
  for (const [index, update] of list.entries()) {
    const path = ['job', 'updates', index] as const
    const wrong: Wrong = (message, key, ofKey) => {
      faulty = true
      say(key === undefined ? path : [...path, key], message, ofKey)
    }
    if (ended !== undefined) wrong(`nothing happens after a terminal state (${ended})`)
    const change = changeOf(update, path, wrong, say)
    const instant = instantOf(update, beforeUs, lengthUs, wrong)
    if (change === undefined || instant === undefined) {
      faulty = true
      continue
    }
    if (instant.us < beforeUs) {
      wrong(`${instant.written} lies before the update above it (${formatDuration(beforeUs)})`, instant.key)
    } else if (lengthUs !== undefined && instant.us > lengthUs) {
      wrong(`${instant.written} lies after the end of the job (${formatDuration(lengthUs)})`, instant.key)
    } else if (isTerminalChange(change) && ended === undefined) {
      const state = (change as { state: StateWord }).state
      ended = `${state} at ${formatDuration(instant.us)}`
      if (lengthUs !== undefined && instant.us !== lengthUs) {
        wrong(
          `the job ends at ${instant.written}, but duration says ${formatDuration(lengthUs)}`,
          instant.key,
        )
      }
      if (input.outcome !== undefined && input.outcome !== state) {
        wrong(`the job ends as ${state}, but outcome says ${input.outcome}`, 'status')
      }
    }
    beforeUs = Math.max(beforeUs, instant.us)
    updates.push({ atUs: instant.us, change })
  }
  return faulty ? undefined : updates
}

interface Instant {
  us: number
  key: 'at' | 'after'
  /** As people know it: `20s`, `50%`. */
  written: string
}

function instantOf(
  { at, after }: UpdateInput,
  beforeUs: number,
  lengthUs: number | undefined,
  wrong: Wrong,
): Instant | undefined {
  if (at !== undefined && after !== undefined) {
    wrong(
      'at and after exclude each other: an instant from the start, or a wait from the update before',
      'after',
      true,
    )
    return undefined
  }
  if (after !== undefined) {
    const us = beforeUs + durationUs(after)
    if (us <= LONGEST_US) return { us, key: 'after', written: formatDuration(us) }
    wrong(`this is more than ${formatDuration(LONGEST_US)} after the start`, 'after')
    return undefined
  }
  if (at === undefined) {
    wrong('when does it happen? write at: 20s, or after: 5s from the update before')
    return undefined
  }
  const us = instantUs(at, lengthUs)
  if (us !== undefined) return { us, key: 'at', written: isShare(at) ? `${at}` : formatDuration(us) }
  wrong(`${at} of what? add the job's length: duration: 100s`, 'at')
  return undefined
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
  if (status === 'input-required' || status === 'auth-required') {
    wrong(
      `${notYet(`a pause (${status})`, 'the task would wait for ever, since resume is of a later release too')}`,
      'status',
    )
    return undefined
  }
  return { of: 'status', state: status, content }
}

/** What a message or chunk says; `undefined` where it is left to the agent. */
function contentOf(value: unknown, path: Path, say: Say): Content | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const given = CONTENT_KEYS.filter((key) => Object.hasOwn(value, key))
  const [first, second] = given
  if (first === undefined) return undefined
  if (second !== undefined) {
    say([...path, second], `${given.join(' and ')} exclude each other: the content once`, true)
  }
  const { text, octets, data } = value as { text?: string; octets?: string | number; data?: unknown }
  switch (first) {
    case 'text':
      return { text: text as string }
    case 'octets':
      return { octets: octetsOf(octets) as number }
    case 'data':
      return { data }
  }
}
