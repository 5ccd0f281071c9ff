import { describe, expect, test } from 'vitest'
import { fixed } from '../../sim/kernel/distribution.ts'
import { loadScenario, rowOfRuns, type Policy } from '../../sim/index.ts'
import type { MetricName } from '../../sim/scenario/metric.ts'
import { pathOf, pollEvery, pushBy, seconds } from '../../sim/testing/scenario.ts'
import { assetPath } from '../assets.ts'
import { aPoll, aResult, aRow, anExperiment, aScenario } from './results.suite.ts'
import { asTable } from './table.ts'

const rows = [aPoll(1, 102, 0, 113_357), aPoll(30, 6, 20_000, 7_031), aRow({ streamEvents: 6 })]
const draw = (columns: number, result = aResult({ rows })): string =>
  asTable(anExperiment(result), { columns, colour: false })

describe('the table', () => {
  test('says where it comes from, what it counts, and what it means', () => {
    expect(draw(120)).toBe(
      `
hundred-seconds: What does it cost to learn that a 100 s search is finished?
file         my/hundred-seconds.yaml (sha256 0123456789ab)
job          1 min 40 s, 1 update
run          seed 1, engine replay, binding HTTP+JSON, horizon 1 h 1 min 40 s
assumed      no latency; the agent card is known
connections  an idle HTTP/1.1 connection closes 4 s after the last answer, as with Node's fetch
counted      HTTP/1.1 octets, heads and bodies, without TCP and TLS; up is what the client's side sends, down what it
             receives

                          stream empty   octets octets octets  octets  octets    time to   conn. conn.
mechanism        requests events polls       up   down   head    body   total      learn  opened  time
──────────────────────────────────────────────────────────────────────────────────────────────────────
poll every 1 s        102      –    99  112,357  1,000    500 112,857 113,357    on time     102 408 s
poll every 30 s         6      –     3    6,031  1,000    500   6,531   7,031  20 s late       6  24 s
stream                  1      6     –    1,000  2,000    627   2,373   3,000    on time       1 104 s

The end was learned on time by poll every 1 s and stream; of these, stream needed the fewest requests (1) and octets
(3,000); poll every 30 s, the latest, 20 s late, saved 96 requests against poll every 1 s but none against stream.
`.slice(1),
    )
  })

  test('goes on below where it does not fit, groups together, its first column repeated', () => {
    const drawn = draw(72)
    expect(drawn.slice(drawn.indexOf('\n\n') + 1, drawn.indexOf('The end was'))).toBe(
      `
                          stream empty
mechanism        requests events polls
──────────────────────────────────────
poll every 1 s        102      –    99
poll every 30 s         6      –     3
stream                  1      6     –

                  octets octets octets  octets  octets    time to
mechanism             up   down   head    body   total      learn
─────────────────────────────────────────────────────────────────
poll every 1 s   112,357  1,000    500 112,857 113,357    on time
poll every 30 s    6,031  1,000    500   6,531   7,031  20 s late
stream             1,000  2,000    627   2,373   3,000    on time

                  conn. conn.
mechanism        opened  time
─────────────────────────────
poll every 1 s      102 408 s
poll every 30 s       6  24 s
stream                1 104 s

`,
    )
  })

  test.each([40, 60, 80, 100, 120])('no line is wider than %d columns, but for words that are', (columns) => {
    const text = draw(
      columns,
      aResult({ rows: [...rows, aRow({ mechanism: 'a label of quite some length, as people write' })] }),
    )
    expect(text.split('\n').filter((line) => line.length > Math.max(columns, 54))).toEqual([])
  })

  test('says never, failed and why', () => {
    const policies: Policy[] = [pollEvery(seconds(7)), pushBy()]
    const mechanisms = policies.map((policy) => ({ label: undefined, word: policy.kind, policy }))
    const result = aResult({
      scenario: aScenario({ mechanisms }),
      rows: [
        { ...aPoll(7, 9, null, 5_000), reason: 'the run reached its horizon first' },
        aRow({
          mechanism: 'push',
          policy: 'push',
          outcome: 'failed',
          timeToLearnMs: null,
          reason: 'no webhooks here',
        }),
      ],
    })
    const text = draw(120, result)
    expect(text).toMatch(/^poll every 7 s .* never /m)
    expect(text).toMatch(/^push +1 +0 +– .* failed /m)
    expect(text).toContain('\npoll every 7 s: the run reached its horizon first\npush: no webhooks here\n')
  })

  test('shows what went wrong where something did, and what the scenario asks about', () => {
    const cut = aRow({ cuts: 18, reconnects: 18, blindTimeMs: 54_000, streamEvents: 40 })
    const failed = aRow({
      mechanism: 'poll',
      outcome: 'failed',
      timeToLearnMs: null,
      failedAtMs: 60_000,
      slowDowns: 19,
    })
    const usual = draw(120, aResult({ rows: [cut, failed] }))
    expect(usual).toMatch(/^stream +1 .* on time +– +18 +18 +54 s /m)
    expect(usual).toMatch(/^poll +1 .* failed +1 min /m)
    expect(usual).not.toMatch(/freshness|429/)
    const expectations = [
      {
        row: 'stream',
        mechanism: 0,
        of: { text: 'freshness', metric: 'freshness' as MetricName, unit: 'count' as const },
        wanted: { of: 'range' as const, least: 0.9 },
        written: '90%..',
        file: 'a.yaml',
        line: 1,
        column: 1,
      },
    ]
    const asked = draw(140, aResult({ scenario: aScenario({ expectations }), rows: [cut] }))
    expect(asked).toMatch(/freshness/)
    expect(asked).toMatch(/ 100 % /)
  })

  test('of many runs shows means, the 95th of a hundred, and in how many the end was learned', () => {
    const some = Array.from({ length: 20 }, (_, i) => ({
      ...aPoll(5, 30 + i, 250 * i, 9_000),
      polls: 29 + i,
    }))
    const never = { ...aPoll(5, 99, null, 9_000), reason: 'the run reached its horizon first' }
    const row = rowOfRuns([never, ...some])
    const text = draw(120, aResult({ scenario: aScenario({ replications: 21 }), rows: [row] }))
    expect(text).toContain(
      '\nrun          21 runs with seeds from 1, of which numbers are means, engine replay',
    )
    expect(text).toMatch(/^poll every 5 s +42\.33 .* 20 of 21 +2\.375 s late +4\.75 s late /m)
    expect(text).toContain('\npoll every 5 s, 1 of 21 runs: the run reached its horizon first\n')
    expect(text).toContain('\npoll every 5 s learned of the end in 20 of 21 runs.\n')
  })

  test('of jobs by chance tells what their lengths are drawn from', () => {
    const { scenario } = loadScenario(assetPath('scenarios/thorough-search.yaml'), {
      set: ['job=72s..108s', 'network.latency=exponential:50ms'],
      seed: 3,
    })
    const text = draw(160, aResult({ rows, scenario }))
    expect(text).toMatch(
      /^job +1 min 12 s to 1 min 48 s; in the first run 1 min .* s, 1 update; latency exp/m,
    )
    expect(text).toMatch(/^run +seed 3, .*, horizon 1 h after the end of each job$/m)
  })

  test('names what the command line changed, the latency, and the files a scenario extends', () => {
    const { files } = aScenario()
    const scenario = aScenario({
      files: [files[0], { file: 'my/base.yaml', sha256: 'f'.repeat(64) }],
      network: { ...pathOf(), latency: { up: fixed(50_000), down: fixed(20_000) } },
    })
    const text = draw(120, aResult({ rows, scenario, changes: ['--set', 'job=30s'] }))
    expect(text).toContain('0123456789ab), which extends my/base.yaml (sha256 ffffffffffff)\n')
    expect(text).toContain('1 update; latency 50 ms up, 20 ms down\n')
    expect(text).toContain('changed      --set job=30s\n')
  })

  test('is coloured only where that is wanted', () => {
    expect(draw(120)).not.toContain('\u001b')
    expect(asTable(anExperiment(), { columns: 120, colour: true })).toContain('\u001b[1m')
  })
})
