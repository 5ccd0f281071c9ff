/**
 * The demo agent's trade: city and headcount in, a shortlist of venues out, as
 * text for people and as data for programs. The same wish gives the same list.
 */
import type { Message, Part } from '../protocol/a2a.ts'

/** What the agent must know before it can search. */
export interface Brief {
  city: string
  headcount: number
  /** How long the house is wanted; not said: for a day. */
  days?: number
}

/** As much of a brief as was said so far. */
export type Wish = Partial<Brief>

/** Who names nothing gets the example of the agent card. */
const UNSAID: Brief = { city: 'Lisbon', headcount: 120 }

export const briefOf = (wish: Wish): Brief => ({ ...UNSAID, ...wish })

/** All that the words of a message say. */
export const textIn = (message: Message): string => message.parts.map((part) => part.text ?? '').join(' ')

/** What a message says of the wish: the first `in Somewhere`, the first number of people, the first of days. */
export function wishIn(message: Message): Wish {
  const text = textIn(message)
  const city = /\bin (\p{Lu}[\p{L}-]*(?: \p{Lu}[\p{L}-]*)*)/u.exec(text)?.[1]
  const headcount = /\b(\d{1,6})\b(?!\s*days?\b)/i.exec(text)?.[1]
  const days = /\b(\d{1,3})\s*days?\b/i.exec(text)?.[1]
  return {
    ...(city !== undefined && { city }),
    ...(headcount !== undefined && { headcount: Number(headcount) }),
    ...(days !== undefined && { days: Number(days) }),
  }
}

/** The same of an answer to a question, which may begin with nothing but the name of the city. */
export function answerIn(message: Message): Wish {
  const city = /^\s*(\p{Lu}[\p{L}-]*(?: \p{Lu}[\p{L}-]*)*)/u.exec(textIn(message))?.[1]
  return { ...(city !== undefined && { city }), ...wishIn(message) }
}

interface Venue {
  name: string
  seats: number
}

/** Kinds of house with the seats they have to spare, the tightest fit first. */
const HOUSES = [
  { name: 'Old Exchange', spare: 0.05 },
  { name: 'River Hall', spare: 0.25 },
  { name: 'Garden Pavilion', spare: 0.6 },
]

export const shortlistOf = ({ city, headcount }: Brief): [Venue, ...Venue[]] =>
  HOUSES.map(({ name, spare }) => ({
    name: `${name} ${city}`,
    seats: Math.ceil((headcount * (1 + spare)) / 10) * 10,
  })) as [Venue, ...Venue[]]

/** `Lisbon for 120`, `Lisbon for 120, 2 days`. */
export const inWords = ({ city, headcount, days }: Brief): string =>
  `${city} for ${headcount}${days === undefined ? '' : `, ${days} ${days === 1 ? 'day' : 'days'}`}`

export function shortlistAsText(brief: Brief): Part {
  const venues = shortlistOf(brief).map(({ name, seats }) => `${name} (${seats} seats)`)
  return { text: `Venues in ${inWords(brief)}: ${venues.join(', ')}.` }
}

export const shortlistAsData = (brief: Brief): Part => ({
  data: { ...brief, venues: shortlistOf(brief) },
})
