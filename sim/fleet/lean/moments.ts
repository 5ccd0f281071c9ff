/**
 * A job as the lean world tells of it: its moments, each with the one view of
 * the task that all who read it share. Moment n is the task after n updates. Who
 * reads a view knows which moment it belongs to by the object itself, so no
 * texts are compared.
 */
import type { Message, TaskState } from '../../protocol/a2a.ts'
import { isTerminal, WIRE_STATE } from '../../protocol/states.ts'
import type { TaskView, ViewChange } from '../../protocol/view.ts'
import type { HappenedRecord } from '../../records/record.ts'
import type { Change, Content, Job } from '../../scenario/scenario.ts'

/** A view, and the moment it shows. */
export interface MomentView extends TaskView {
  readonly moment: number
}

/** One update of the task. */
export interface LeanUpdate {
  readonly change: ViewChange
  readonly of: 'status' | 'artifact'
  /** The state it leaves the task in. */
  readonly state: TaskState
  readonly terminal: boolean
  /** Equal for chunks that read alike. */
  readonly phrase: string
  readonly happened: Omit<HappenedRecord, 'atUs'>
  /** The user's answer, if it is a question that gets one. */
  readonly asks: { afterUs: number; message: Message } | undefined
}

/** What the agent does by itself up to a pause or the end. */
export interface LeanLeg {
  /** Number of its first update. */
  first: number
  /** Number after its last one. */
  end: number
  /** Where it ends in `auth-required`: so long afterwards it goes on by itself. */
  authorisedAfterUs: number | undefined
}

export interface Moments {
  /** By number. An update that begins a leg anew, WORKING after a pause, is one of them and belongs to no leg. */
  updates: readonly LeanUpdate[]
  legs: readonly LeanLeg[]
  /** By moment, so one more than there are updates. */
  views: readonly MomentView[]
  /** By moment: the last moment that reads the same and the ones before it, ascending; `undefined` where no other does. */
  alike: readonly (readonly number[] | undefined)[]
  pollHintUs: number | undefined
}

const NO_WORDS: ReadonlyMap<string, readonly string[]> = new Map()

/** The moments of a job, and when each of its updates happens, counted from the beginning of its leg. */
export interface LeanJob {
  moments: Moments
  atUs: readonly number[]
}

/** Jobs that differ only in instants may share the moments of one. */
export function leanJobOf(job: Job): LeanJob {
  const planned: { atUs: number; change: Change }[] = []
  const legs: LeanLeg[] = []
  const answers = new Map<number, NonNullable<LeanUpdate['asks']>>()

  let updates = job.updates
  for (let index = 0; ; index++) {
    const first = planned.length
    planned.push(...updates)
    const pause = updates.at(-1)?.change
    const next = job.afterPauses[index]
    const isAuth = pause?.of === 'status' && pause.state === 'auth-required'
    legs.push({ first, end: planned.length, authorisedAfterUs: isAuth ? next?.resumeAfterUs : undefined })
    if (next === undefined) break
    if (pause?.of === 'status' && pause.state === 'input-required')
      answers.set(planned.length - 1, {
        afterUs: next.resumeAfterUs,
        message: { messageId: `answer ${index + 1}`, role: 'ROLE_USER', parts: [] },
      })
    planned.push({ atUs: 0, change: { of: 'status', state: 'working', content: undefined } })
    updates = next.updates
  }

  let state: TaskState = 'TASK_STATE_SUBMITTED'
  let status = 0
  /** What each artifact says by now, as one number: equal for equal contents. */
  const artifacts = new Map<string, number>()
  const texts = createNumbering()
  const readings = new Map<string, number[]>()
  const alike: number[][] = []
  const views: MomentView[] = []

  function addView(): void {
    const moment = views.length
    views.push({ moment, state, timestamp: String(status), messageId: '', artifacts: NO_WORDS })
    const reading = `${status} ${[...artifacts].join(' ')}`
    const sharing = readings.get(reading) ?? []
    readings.set(reading, sharing)
    sharing.push(moment)
    alike.push(sharing)
  }

  addView()
  const told = planned.map(({ change }, number): LeanUpdate => {
    const happened = happenedOf(change, number)
    if (change.of === 'status') {
      state = WIRE_STATE[change.state]
      status += 1
    } else {
      const before = change.append ? artifacts.get(change.artifact) : undefined
      artifacts.set(change.artifact, texts(`${before ?? ''}|${wordsOf(change)}`))
    }
    addView()
    return {
      of: change.of,
      state,
      terminal: happened.terminal,
      phrase: change.of === 'status' ? '' : `${happened.replaces} ${happened.topic} ${wordsOf(change)}`,
      happened,
      change: numberedOf(change, number, state, String(status)),
      asks: answers.get(number),
    }
  })
  const moments = {
    updates: told,
    legs,
    views,
    alike: alike.map((sharing) => (sharing.length > 1 ? sharing : undefined)),
    pollHintUs: job.pollHintUs,
  }
  return { moments, atUs: planned.map(({ atUs }) => atUs) }
}

const happenedOf = (change: Change, update: number): LeanUpdate['happened'] =>
  change.of === 'status'
    ? {
        kind: 'happened',
        update,
        change: change.state,
        topic: 'status',
        replaces: true,
        message: change.content !== undefined,
        terminal: isTerminal(WIRE_STATE[change.state]),
      }
    : {
        kind: 'happened',
        update,
        change: `artifact ${change.artifact}`,
        topic: `artifact ${change.artifact}`,
        replaces: !change.append,
        message: false,
        terminal: false,
      }

/** Equal for chunks that say the same. What a scenario leaves open is filled alike every time, a first chunk and a later one each in its way. */
function wordsOf({ content, append }: Extract<Change, { of: 'artifact' }>): string {
  if (content === undefined) return append ? 'filled later' : 'filled'
  return `"${sayingOf(content)}"`
}

function sayingOf(content: Content): string {
  if ('text' in content) return content.text
  return 'octets' in content ? `${content.octets} octets` : JSON.stringify(content.data)
}

/** Small numbers for texts, equal ones for equal texts: what grows by appending would else grow without bound. */
function createNumbering(): (text: string) => number {
  const numbers = new Map<string, number>()
  return (text) => {
    const there = numbers.get(text)
    if (there !== undefined) return there
    numbers.set(text, numbers.size)
    return numbers.size - 1
  }
}

/** A change, and which update it tells of. */
export type NumberedChange = ViewChange & { readonly update: number }

const numberedOf = (change: Change, update: number, state: TaskState, timestamp: string): NumberedChange =>
  change.of === 'status'
    ? { of: 'status', state, timestamp, messageId: '', update }
    : { of: 'artifact', artifactId: change.artifact, says: NO_SAYINGS, append: change.append, update }

const NO_SAYINGS: readonly string[] = []
