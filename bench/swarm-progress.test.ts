/** What a swarm tells while it is under way. */
import { expect, test, vi } from 'vitest'
import type { Violation } from '../sim/swarm/index.ts'
import { findPlant, runSwarm } from './experiment/swarm.ts'
import type { SwarmPart } from './experiment/swarm-part.ts'
import { main } from './main.ts'

/** Judges nothing: seed 15,000 is wrong, if it is among them. */
const judged = ({ from, to }: SwarmPart): Promise<Violation[]> =>
  Promise.resolve(
    from <= 15_000 && 15_000 < to ? [{ seed: 15_000, checker: 'a-checker', wrong: ['it is'] }] : [],
  )
vi.mock('./experiment/swarm-part.ts', () => ({ default: judged }))

async function told(runs: number): Promise<[done: number, violations: number][]> {
  const lines: [number, number][] = []
  await runSwarm({ seed: 1, runs, workers: 1 }, (...line) => lines.push(line))
  return lines
}

test('a swarm tells each tenth of its runs, but never less than a thousand and never more than ten thousand', async () => {
  expect(await told(1_000)).toEqual([])
  expect(await told(2_600)).toEqual([
    [1_000, 0],
    [2_000, 0],
  ])
  expect(await told(30_000)).toEqual([
    ...[3, 6, 9, 12].map((thousands) => [thousands * 1_000, 0]),
    ...[15, 18, 21, 24, 27].map((thousands) => [thousands * 1_000, 1]),
  ])
  expect((await told(400_000)).map(([done]) => done)).toEqual(
    Array.from({ length: 39 }, (_, i) => (i + 1) * 10_000),
  )
})

test('so does the search for a planted mistake, until it is found', async () => {
  const lines: number[] = []
  const found = await findPlant('any', { seed: 1, runs: 40_000, workers: 1 }, (done) => lines.push(done))
  expect(found?.seed).toBe(15_000)
  expect(lines).toEqual([4_000, 8_000, 12_000])
})

test('the command says it on stderr, unless that is unwanted', async () => {
  const swarm = async (...argv: string[]) => {
    const err: string[] = []
    await main(['swarm', '--workers', '1', ...argv], {
      stdout: { write: () => {} },
      stderr: { write: (text) => err.push(text) },
    })
    return err.join('')
  }
  const runs = ['--seed', '14001', '--runs', '3000', '--format', 'json']
  expect(await swarm(...runs)).toBe(
    `3,000 runs, seeds 14001 to 17000
1,000 of 3,000 runs, 1 violation
2,000 of 3,000 runs, 1 violation
`,
  )
  expect(await swarm('--seed', '15001', ...runs.slice(2), '--plant', 'snapshot-ignored')).toBe(
    'snapshot-ignored: not found in 1,000 of 3,000 runs\nsnapshot-ignored: not found in 2,000 of 3,000 runs\n',
  )
  expect(await swarm(...runs, '--quiet')).toBe('')
})
