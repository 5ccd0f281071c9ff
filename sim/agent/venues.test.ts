import { expect, test } from 'vitest'
import { answerIn, briefOf, shortlistAsData, shortlistAsText, wishIn } from './venues.ts'

const saying = (text: string) => ({ messageId: 'm', role: 'ROLE_USER' as const, parts: [{ text }] })

test.each([
  ['Find a venue in Porto for 40 people', { city: 'Porto', headcount: 40 }],
  ['We are 1200 and meet in New York in May.', { city: 'New York', headcount: 1200 }],
  ['etwas in Österreich-Süd, bitte', { city: 'Österreich-Süd', headcount: 120 }],
  ['for 2 days in Porto', { city: 'Porto', headcount: 120, days: 2 }],
  ['2 days for 40', { city: 'Lisbon', headcount: 40, days: 2 }],
  ['anything', { city: 'Lisbon', headcount: 120 }],
])('%s', (text, brief) => {
  expect(briefOf(wishIn(saying(text)))).toEqual(brief)
})

test.each([
  ['Porto', { city: 'Porto' }],
  ['New York, 80 of us', { city: 'New York', headcount: 80 }],
  ['We meet in Porto', { city: 'Porto' }],
  ['about 60', { headcount: 60 }],
])('an answer: %s', (text, wish) => {
  expect(answerIn(saying(text))).toEqual(wish)
})

test('every venue on the list has seats for everybody, in words as in data', () => {
  const brief = { city: 'Porto', headcount: 40 }
  const { data } = shortlistAsData(brief) as { data: { venues: { name: string; seats: number }[] } }
  expect(data.venues.length).toBeGreaterThan(1)
  for (const { name, seats } of data.venues) {
    expect(seats).toBeGreaterThanOrEqual(40)
    expect(shortlistAsText(brief).text).toContain(`${name} (${seats} seats)`)
  }
})
