import { describe, expect, test } from 'vitest'
import { drawScenario, judgeSeed, PLANTS } from './index.ts'
import { readScenario } from '../scenario/index.ts'
import { textOf } from './document.ts'

const plantOf = (name: string) => PLANTS.find((plant) => plant.name === name)

test('three hundred drawn runs do nothing that none may', { timeout: 120_000 }, async () => {
  for (let seed = 0; seed < 300; seed++) expect(await judgeSeed(seed), `seed ${seed}`).toEqual([])
})

test('what a seed draws is the same each time, and a scenario', () => {
  for (let seed = 0; seed < 200; seed++) {
    const document = drawScenario(seed)
    expect(drawScenario(seed)).toEqual(document)
    expect(readScenario(textOf(document), 'drawn').scenario.mechanisms).toHaveLength(1)
  }
  expect(drawScenario(1)).not.toEqual({ ...drawScenario(2), seed: 1 })
})

// The first seed from 1 on that shows each, as `swarm --plant all` found them.
const FOUND: readonly (readonly [plant: string, seed: number, checker: string])[] = [
  ['clean-close-is-the-end', 81, 'end-is-learned'],
  ['no-reconnect', 9, 'end-is-learned'],
  ['watchdog-asleep', 186, 'end-is-learned'],
  ['snapshot-ignored', 6, 'whole-picture'],
  ['no-timeout', 114, 'end-is-learned'],
  ['retry-off-by-one', 163, 'posts-retried'],
  ['no-dedupe', 44, 'no-repeats'],
  ['posts-overtake', 163, 'posts-retried'],
  ['fallback-missing', 63, 'end-is-learned'],
  ['hint-in-the-wrong-unit', 29, 'end-is-learned'],
  ['poll-once', 17, 'end-is-learned'],
  ['early-eyes', 20, 'never-early'],
  ['forgotten-timer', 1, 'nothing-pending'],
  ['stale-cache', 28, 'end-is-learned'],
  ['made-up-state', 5, 'no-fault'],
  ['webhook-dropped', 33, 'end-is-learned'],
  ['state-left-over', 50, 'same-again'],
]

describe('a mistake planted on purpose is found', () => {
  test.each(FOUND)('%s by seed %d, by %s', async (name, seed, checker) => {
    expect(await judgeSeed(seed)).toEqual([])
    expect((await judgeSeed(seed, plantOf(name))).map((violation) => violation.checker)).toContain(checker)
  })

  test('and there is none that nobody looks for', () => {
    expect(FOUND.map(([name]) => name)).toEqual(PLANTS.map(({ name }) => name))
  })
})
