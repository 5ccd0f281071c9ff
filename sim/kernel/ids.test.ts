import { expect, test } from 'vitest'
import { idSource } from './ids.ts'
import { randomStream } from './random.ts'

const clockAt = (nowUs: number) => ({
  nowUs: () => nowUs,
  dateOf: (atUs: number) => new Date(Date.UTC(2026, 0, 1) + Math.floor(atUs / 1000)),
})

test('an id has the form of a ULID: the millisecond, then chance', () => {
  const id = idSource(randomStream(1, 'ids'), clockAt(1_500))()
  expect(id).toMatch(/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/)
  const ms = Array.from(id.slice(0, 10)).reduce(
    (sum, character) => sum * 32 + '0123456789ABCDEFGHJKMNPQRSTVWXYZ'.indexOf(character),
    0,
  )
  expect(ms).toBe(Date.UTC(2026, 0, 1) + 1)
})

test('ids repeat with the seed, and only then', () => {
  const ids = (seed: number): string[] => {
    const nextId = idSource(randomStream(seed, 'ids'), clockAt(0))
    return Array.from({ length: 100 }, nextId)
  }
  expect(ids(1)).toEqual(ids(1))
  expect(new Set([...ids(1), ...ids(2)]).size).toBe(200)
})

test('every character of the chance part can be every character', () => {
  const nextId = idSource(randomStream(1, 'ids'), clockAt(0))
  const seen = Array.from({ length: 16 }, () => new Set<string>())
  for (let i = 0; i < 1_000; i++)
    for (const [at, character] of Array.from(nextId().slice(10)).entries()) seen[at]?.add(character)
  expect(seen.map((characters) => characters.size)).toEqual(Array.from({ length: 16 }, () => 32))
})
