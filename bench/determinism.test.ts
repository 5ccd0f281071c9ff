/**
 * The same seed gives the same bytes: again and again in one process, in other
 * processes, and while the machine is busy with other things.
 */
import { execFile } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { loadScenario } from '../sim/index.ts'
import { replay } from '../sim/replay/index.ts'

const ROOT = join(import.meta.dirname, '..')
const SCENARIOS = ['seed-table', 'venue-search', 'seed-table-latency'].map((name) =>
  join(ROOT, 'scenarios', `${name}.yaml`),
)

/** Rows and records of every shipped kind of world, as text. */
async function everything(seed?: number): Promise<string> {
  const runs: unknown[] = []
  for (const file of SCENARIOS) {
    const { scenario } = loadScenario(file, seed === undefined ? {} : { seed })
    for (const entry of scenario.mechanisms) runs.push(await replay(scenario, entry))
  }
  return JSON.stringify(runs)
}

/** What the command prints, in a process of its own. */
const printed = async (): Promise<string> => {
  const cli = ['--import', 'tsx', 'bench/cli.ts', '--format', 'json']
  return (await promisify(execFile)(process.execPath, cli, { cwd: ROOT, maxBuffer: 1 << 26 })).stdout
}

test('twenty repetitions in one process', async () => {
  const first = await everything()
  for (let repetition = 1; repetition < 20; repetition++) expect(await everything()).toBe(first)
})

test('another seed changes ids, and with them no number: every id has one width', async () => {
  expect(await everything(2)).toBe(await everything(1))
})

test('two processes, and a third on a busy machine', async () => {
  const [first, second] = [await printed(), await printed()]
  expect(second).toBe(first)
  const busy = Array.from(
    { length: availableParallelism() },
    () => new Worker('for (;;) Math.sqrt(2)', { eval: true }),
  )
  try {
    expect(await printed()).toBe(first)
    expect(await everything()).toBe(await everything())
  } finally {
    await Promise.all(busy.map((worker) => worker.terminate()))
  }
})
