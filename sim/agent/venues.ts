/**
 * The demo agent's trade: city and headcount in, a shortlist of venues out, as
 * text for people and as data for programs. The same wish gives the same list.
 */
import type { Message, Part } from '../protocol/a2a.ts'

/** What the user looks for, read from the words of the message. */
export interface Brief {
  city: string
  headcount: number
}

/** Who names nothing gets the example of the agent card. */
const UNSAID: Brief = { city: 'Lisbon', headcount: 120 }

/** The first `in Somewhere` and the first number of people. */
export function briefOf(message: Message): Brief {
  const text = message.parts.map((part) => part.text ?? '').join(' ')
  const city = /\bin (\p{Lu}[\p{L}-]*(?: \p{Lu}[\p{L}-]*)*)/u.exec(text)?.[1]
  const headcount = /\b(\d{1,6})\b/.exec(text)?.[1]
  return {
    city: city ?? UNSAID.city,
    headcount: headcount === undefined ? UNSAID.headcount : Number(headcount),
  }
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

const shortlistOf = ({ city, headcount }: Brief): Venue[] =>
  HOUSES.map(({ name, spare }) => ({
    name: `${name} ${city}`,
    seats: Math.ceil((headcount * (1 + spare)) / 10) * 10,
  }))

export function shortlistAsText(brief: Brief): Part {
  const venues = shortlistOf(brief).map(({ name, seats }) => `${name} (${seats} seats)`)
  return { text: `Venues in ${brief.city} for ${brief.headcount}: ${venues.join(', ')}.` }
}

export const shortlistAsData = (brief: Brief): Part => ({
  data: { ...brief, venues: shortlistOf(brief) },
})
