/** The command `swarm` from its words to its text. */
import { expect, test, vi } from 'vitest'
import { EXIT } from './exit.ts'
import { main } from './main.ts'

async function run(...argv: string[]) {
  const out: string[] = []
  const err: string[] = []
  const code = await main(['swarm', '--workers', '1', ...argv], {
    stdout: { write: (text) => out.push(text) },
    stderr: { write: (text) => err.push(text) },
  })
  return { code, out: out.join(''), err: err.join('') }
}

test('runs without a violation end well, and tell their seeds', async () => {
  const { code, out, err } = await run('--runs', '20', '--seed', '41')
  expect([code, out, err]).toEqual([EXIT.fine, '20 runs, no violation\n', '20 runs, seeds 41 to 60\n'])
  const json = await run('--runs', '3', '--seed', '41', '--format', 'json', '--quiet')
  expect(JSON.parse(json.out)).toEqual({
    format: 'delivery-bench-swarm/1',
    seed: 41,
    runs: 3,
    violations: [],
  })
  expect(json.err).toBe('')
})

test('a planted mistake tells who found it, and how to see it again', async () => {
  const { code, out } = await run('--runs', '30', '--plant', 'snapshot-ignored')
  expect(code).toBe(EXIT.fine)
  expect(out).toBe(
    `snapshot-ignored: forgot to read the snapshot a resumed stream begins with
  found by whole-picture after 6 runs: the end was learned by stream, which shows the whole task, and 1 updates are lost
  again: delivery-bench swarm --runs 1 --seed 6 --plant snapshot-ignored
`,
  )
  const again = await run('--runs', '1', '--seed', '6', '--plant', 'snapshot-ignored', '--format', 'json')
  expect(JSON.parse(again.out).plants).toEqual([
    {
      plant: 'snapshot-ignored',
      forgot: 'to read the snapshot a resumed stream begins with',
      found: {
        seed: 6,
        checker: 'whole-picture',
        wrong: ['the end was learned by stream, which shows the whole task, and 1 updates are lost'],
        replay: 'delivery-bench swarm --runs 1 --seed 6 --plant snapshot-ignored',
      },
    },
  ])
})

test('one that no run shows is missed', async () => {
  const { code, out } = await run('--runs', '5', '--plant', 'snapshot-ignored')
  expect(code).toBe(EXIT.missed)
  expect(out).toContain('  not found in 5 runs\n')
})

test('a violation tells its seed, the line that replays it and the smallest scenario, and misses', async () => {
  const { CHECKERS } = await import('../sim/swarm/index.ts')
  const spy = vi
    .spyOn(CHECKERS[0]!, 'check')
    .mockImplementation(({ scenario }) =>
      scenario.agent.binding === 'JSONRPC' && scenario.seed === 42 ? ['it speaks JSON-RPC'] : [],
    )
  try {
    const { code, out } = await run('--runs', '4', '--seed', '40')
    expect(code).toBe(EXIT.missed)
    expect(out).toMatchInlineSnapshot(`
      "seed 42, never-early:
        it speaks JSON-RPC
        again: delivery-bench swarm --runs 1 --seed 42
        the smallest scenario that goes wrong so:
          seed: 42
          job:
            updates:
              - at: 69s
                status: failed
          agent:
            binding: JSONRPC
      4 runs, 1 violation
      "
    `)
    const { violations } = JSON.parse((await run('--runs', '4', '--seed', '40', '--format', 'json')).out)
    expect(violations).toEqual([
      {
        seed: 42,
        checker: 'never-early',
        wrong: ['it speaks JSON-RPC'],
        replay: 'delivery-bench swarm --runs 1 --seed 42',
      },
    ])
  } finally {
    spy.mockRestore()
  }
})

test.each([
  [['x.yaml'], 'swarm takes no scenario: it draws its own'],
  [['--runs', '0'], '--runs 0 is not a whole number from 1 to 10000000'],
  [['--format', 'csv'], 'a swarm is printed as table or json, not as csv'],
  [['--plant', 'no-reconect'], 'did you mean no-reconnect?'],
])('%j is a usage error', async (words, says) => {
  const { code, err } = await run(...words)
  expect(code).toBe(EXIT.usage)
  expect(err).toContain(says)
})
