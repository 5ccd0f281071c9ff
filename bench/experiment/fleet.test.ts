import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { loadScenario } from '../../sim/index.ts'
import { fakeEngine } from './fake-fleet.suite.ts'
import { fleetCells, fleetResults, itemsOf, playItems, tasksExpected } from './fleet.ts'
import { aFleet } from '../../sim/testing/fleet.ts'

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'fleet-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

vi.mock('../../sim/fleet/index.ts', async () => (await import('./fake-fleet.suite.ts')).fakeEngine)

const YAML = `
job: 20s
fleet: { tasks: 1000, window: 1h }
replications: 2
mechanisms: [poll:5s, stream, poll:7s]
expect:
  - given: { job: 30s }
    rows: { poll:7s: { tasks: 1280 } }
`
const module = new URL('./fake-fleet-parts.suite.ts', import.meta.url)

test('the same whatever the number of workers, and whichever part ends first', async () => {
  const file = join(folder, 'mine.yaml')
  writeFileSync(file, YAML)
  const loaded = [loadScenario(file)]
  const cells = fleetCells(loaded)
  const items = itemsOf(fakeEngine, cells)
  // Three rows and one of the variant; streams in one part for each replication.
  expect(items).toHaveLength(3 * 128 + 2)
  const resultsOf = async (workers: number) => {
    const told: [number, number][] = []
    const progress = (done: number, all: number) => void told.push([done, all])
    const tallies = await playItems(fakeEngine, cells, items, { workers, module, progress })
    expect(told.at(-1)).toEqual([386, 386])
    return fleetResults(fakeEngine, loaded, [], tallies)
  }
  const alone = await resultsOf(1)
  expect(alone).toMatchObject([
    {
      engine: 'fleet',
      rows: [{ policy: 'poll:5s', tasks: 1_280 }, { policy: 'stream' }, { policy: 'poll:7s' }],
      variants: [{ given: 'job=30s', rows: [{ policy: 'poll:7s' }] }],
      misses: [],
    },
  ])
  expect(await resultsOf(2)).toEqual(alone)
  expect(await resultsOf(3)).toEqual(alone)
  const backwards = await playItems(fakeEngine, cells, items.toReversed(), { workers: 1 })
  expect(fleetResults(fakeEngine, loaded, [], backwards)).toEqual(alone)
})

test('a signal stops the work', async () => {
  const file = join(folder, 'stopped.yaml')
  writeFileSync(file, YAML)
  const cells = fleetCells([loadScenario(file)])
  const stop = new AbortController()
  const progress = vi.fn<(done: number) => void>(() => stop.abort())
  const playing = playItems(fakeEngine, cells, itemsOf(fakeEngine, cells), {
    workers: 1,
    signal: stop.signal,
    progress,
  })
  await expect(playing).rejects.toThrow(/abort/i)
  expect(progress).toHaveBeenCalledTimes(1)
})

test('how many tasks to expect', () => {
  expect(tasksExpected(aFleet())).toBe(14_400)
  expect(tasksExpected(aFleet({ arrivals: { of: 'together', tasks: 3 } }))).toBe(3)
})
