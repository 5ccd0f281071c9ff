import { expect, test } from 'vitest'
import { briefOf, shortlistAsData, shortlistAsText } from './venues.ts'

const saying = (text: string) => ({ messageId: 'm', role: 'ROLE_USER' as const, parts: [{ text }] })

test.each([
  ['Find a venue in Porto for 40 people', { city: 'Porto', headcount: 40 }],
  ['We are 1200 and meet in New York in May.', { city: 'New York', headcount: 1200 }],
  ['etwas in Österreich-Süd, bitte', { city: 'Österreich-Süd', headcount: 120 }],
  ['anything', { city: 'Lisbon', headcount: 120 }],
])('%s', (text, brief) => {
  expect(briefOf(saying(text))).toEqual(brief)
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
