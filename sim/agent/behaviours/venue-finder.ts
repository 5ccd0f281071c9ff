/**
 * The demo agent: asks for what it was not told, searches, and books where
 * somebody has given it leave. For people at a terminal and for tests of whole
 * conversations; measured runs play a job instead.
 */
import { US_PER_SECOND } from '../../kernel/units.ts'
import type { Part } from '../../protocol/a2a.ts'
import type { StateWord } from '../../protocol/states.ts'
import {
  answerIn,
  type Brief,
  inWords,
  shortlistAsData,
  shortlistAsText,
  shortlistOf,
  textIn,
  type Wish,
  wishIn,
} from '../venues.ts'
import type { Behaviour, Step, Work } from './behaviour.ts'

const HELP =
  'I find venues: name a city and a headcount, as in "Find a venue in Lisbon for 120 people". ' +
  'Say "book" and I take the first of the list, once you have given me leave.'

/** More people than any house holds. */
const HEADCOUNT_MAX = 100_000

const GREETING = /^\s*(hello|hi|hey|help|thanks|thank you)\b[\s!.?]*$/i
const BOOKING = /\bbook\b/i

/** What is wanted in the end. */
type Goal = 'shortlist' | 'booking'

export interface VenueFinderOptions {
  /** Where the user of a task gives leave to book: a page of somebody else's, which then tells `Agent.authorised`. */
  authoriseAt: (taskId: string) => string
}

export const venueFinder = ({ authoriseAt }: VenueFinderOptions): Behaviour => {
  /** On the way to `goal`. A task that has begun can no longer be rejected, only fail. */
  function pursue(goal: Goal, wish: Wish, taskId: string, refusal: 'rejected' | 'failed'): Work {
    const { city, headcount } = wish
    if (city === undefined || headcount === undefined) {
      return {
        kind: 'work',
        steps: [status(1, 'input-required', { text: questionFor(wish) })],
        known: wish,
        resume: (answer) => pursue(goal, { ...wish, ...(answer && answerIn(answer)) }, taskId, 'failed'),
      }
    }
    const brief = { ...wish, city, headcount }
    if (headcount === 0 || headcount > HEADCOUNT_MAX) {
      const text = `No house is for ${headcount} people.`
      const { headcount: _unfit, ...rest } = wish
      return { kind: 'work', steps: [status(1, refusal, { text })], known: rest }
    }
    return goal === 'shortlist' ? search(brief) : askLeave(brief, taskId)
  }

  function askLeave(brief: Brief, taskId: string): Work {
    const [{ name }] = shortlistOf(brief)
    const says = [{ text: `Give me leave to book ${name}:` }, { url: authoriseAt(taskId) }]
    return {
      kind: 'work',
      steps: [status(1, 'auth-required', ...says)],
      known: brief,
      resume: () => book(brief, name),
    }
  }

  return ({ message, known, taskId }) => {
    const text = textIn(message)
    if (GREETING.test(text)) return { kind: 'reply', parts: [{ text: HELP }] }
    const goal = BOOKING.test(text) ? 'booking' : 'shortlist'
    return pursue(goal, { ...known, ...wishIn(message) }, taskId, 'rejected')
  }
}

function questionFor({ city, headcount }: Wish): string {
  if (city !== undefined) return `For how many people in ${city}?`
  return headcount === undefined
    ? 'In which city, and for how many people?'
    : `In which city, for ${headcount}?`
}

const search = (brief: Brief): Work => ({
  kind: 'work',
  steps: [
    status(1, 'working', { text: `Searching ${inWords(brief)}.` }),
    chunk(8, 'shortlist', shortlistAsText(brief), { append: false, lastChunk: false }),
    chunk(10, 'shortlist', shortlistAsData(brief), { append: true, lastChunk: true }),
    status(10, 'completed', { text: 'Here is your shortlist.' }),
  ],
  known: brief,
})

const book = (brief: Brief, name: string): Work => ({
  kind: 'work',
  steps: [
    chunk(
      2,
      'booking',
      { text: `${name} is booked: ${inWords(brief)}.` },
      { append: false, lastChunk: true },
    ),
    status(2, 'completed', { text: 'Booked.' }),
  ],
  known: brief,
})

const status = (atSeconds: number, state: StateWord, ...says: Part[]): Step => ({
  atUs: atSeconds * US_PER_SECOND,
  of: 'status',
  state,
  says,
})

const chunk = (
  atSeconds: number,
  artifactId: string,
  part: Part,
  { append, lastChunk }: { append: boolean; lastChunk: boolean },
): Step => ({
  atUs: atSeconds * US_PER_SECOND,
  of: 'artifact',
  artifact: { artifactId, parts: [part] },
  append,
  lastChunk,
})
