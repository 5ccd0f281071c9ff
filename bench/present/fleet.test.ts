import { expect, test } from 'vitest'
import { aFleet, aFleetRow, overTime } from '../../sim/testing/fleet.ts'
import { FLEET_COLUMNS } from './fleet-columns.ts'
import { aFleetResult } from './fleet-results.suite.ts'
import { present } from './index.ts'
import { aResult } from './results.suite.ts'
import type { Experiment, FleetResult } from '../experiment/experiment.ts'

const stream = aFleetRow({
  mechanism: 'stream (SSE)',
  policy: 'stream',
  executions: [{ share: 1, policy: 'stream', name: 'lean', why: 'tasks share 5,000 connections' }],
  outcomes: { learned: 7_190, notLearned: 8, failed: 0, unfinished: 2 },
  reasons: [{ reason: 'the stream was cut', tasks: 8 }],
  requests: 7_210,
  polls: 0,
  emptyPolls: 0,
  rejected: 31,
  load: overTime(2.002_777, 9, [2, 2]),
  octets: { total: 14_400_000, up: 4_400_000, down: 10_000_000, head: 4_000_000, body: 10_400_000 },
  timeToLearnMs: {
    mean: { value: 0.4, plusMinus: 0.012_34 },
    p50: { value: 0, plusMinus: null },
    p90: { value: 0, plusMinus: null },
    p95: { value: 0, plusMinus: null },
    p99: { value: 0, plusMinus: null },
    p999: null,
    max: 3_000,
    exact: false,
  },
  checksum: 'feedf00d',
})
const experimentOf = (...scenarios: FleetResult[]): Experiment => ({
  version: '0.1.0',
  command: ['fleet', 'my/busy-day.yaml'],
  scenarios,
})
const draw = (result: FleetResult) => present(experimentOf(result), 'table', { columns: 120, colour: false })

test('the table says what is assumed, what computed each row and why that is exact, and what it means', () => {
  expect(draw(aFleetResult([aFleetRow(), stream]))).toMatchInlineSnapshot(`
    "busy-day: What do 7,200 searches an hour cost?
    file         my/hundred-seconds.yaml (sha256 0123456789ab)
    fleet        172,800 tasks a day for 2 h, at random (Poisson)
    job          20 s
    window       after 1 h of warm-up for 1 h, then on until its tasks are over, at most 1 h
    run          seed 1, engine fleet, binding HTTP+JSON, bins of 1 s
    assumed      each task has a client of its own
    connections  an idle HTTP/1.1 connection closes 4 s after the last answer, as with Node's fetch
    counted      HTTP/1.1 octets, heads and bodies, without TCP and TLS; up is what the client's side sends, down what it
                 receives
    sweep        poll every 5 s: task by task, without an event list; exact, as no task meets another
    lean         stream (SSE): the replay's own processes, without a wire; exact, as tasks share 5,000 connections
    quantiles    of N tasks in order the one of index floor(q N), those that never learned last; at most 1/2048 too high for
                 stream (SSE)
    checksum     poll every 5 s 0badcafe, stream (SSE) feedf00d

                              not                    time to                                        req/s req/s
    mechanism       tasks learned unfinished           learn    p50 p95   p99   p99.9   max          mean  peak
    ───────────────────────────────────────────────────────────────────────────────────────────────────────────
    poll every 5 s  7,200       0          0     1 s ± 20 ms 900 ms 2 s 2.4 s 2.451 s 2.5 s     12 ± 0.12    31
    stream (SSE)    7,200      10          2  400 µs ± 12 µs    0 s 0 s   0 s   never   3 s  2.003 ± 0.02     9

                           conn. conn.           answers updates  octets per      octets a
    mechanism               mean  peak  rejected     429    lost        task           day
    ──────────────────────────────────────────────────────────────────────────────────────
    poll every 5 s  48.04 ± 0.48    71         0       0       0       8,000 1,382,400,000
    stream (SSE)    48.04 ± 0.48    71        31       0       0       2,000   345,600,000

    stream (SSE), 8 of 7,200 tasks: the stream was cut
    95 % of the tasks were learned soonest, on time, by stream (SSE); the fewest requests (2.003 per second, 9 at the peak)
    came from stream (SSE); 10 of 7,200 tasks with stream (SSE) never learned.
    "
  `)
})

test('no line is wider than the page', () => {
  const busy = aFleetRow({
    waitingMs: { mean: { value: 4.123, plusMinus: 0.2 }, p95: { value: 12, plusMinus: null }, max: 80 },
    webhookPosts: 7_205,
    retries: 5,
    cuts: 3,
    reconnects: 2,
  })
  for (const line of draw(aFleetResult([busy, stream])).split('\n'))
    expect(line.length).toBeLessThanOrEqual(120)
})

test('a load that has no steady state has no times, but a sentence', () => {
  const text = draw(aFleetResult([aFleetRow({ overload: { load: 1.3 } })]))
  expect(text).toContain(
    'poll every 5 s: no steady state: the handlers are asked for 1.3 of what they can do\n',
  )
  expect(text).toMatch(/^poll every 5 s +7,200 +0 +– +– +– +– +– +–/m)
  const csv = present(experimentOf(aFleetResult([aFleetRow({ overload: { load: 1.3 } })])), 'csv', PLAIN)
  expect(csv).not.toContain('2450.5')
})

const PLAIN = { columns: 120, colour: false }

test('markdown has the same facts, columns and rows', () => {
  const markdown = present(experimentOf(aFleetResult([aFleetRow(), stream])), 'markdown', PLAIN)
  expect(markdown).toContain('- lean: stream (SSE): ')
  expect(markdown).toMatch(/^\| mechanism \| tasks \| not learned \|/m)
  expect(markdown).toMatch(/^\| stream \(SSE\) \| 7,200 \| 10 \|/m)
})

test('CSV has a line for each row, and with series one for each bin of each', () => {
  const result = aFleetResult([aFleetRow(), stream])
  const lines = present(experimentOf(result), 'csv', PLAIN).trimEnd().split('\r\n')
  expect(lines).toHaveLength(3)
  const [head = [], row = []] = lines.map((line) => line.split(','))
  expect(head).toHaveLength(FLEET_COLUMNS.length + 2)
  const told = Object.fromEntries(head.map((title, i) => [title, row[i]]))
  expect(told).toMatchObject({
    scenario: 'busy-day',
    policy: 'poll:5s',
    tasks: '7200',
    'time to learn (ms)': '1000',
    'time to learn ± (ms)': '19.6',
    'p99.9 (ms)': '2450.5',
    'req/s peak (1/s)': '31',
    'octets per task': '8000',
    'octets a day': '1382400000',
    checksum: '0badcafe',
  })
  const [, series = ''] = present(experimentOf(result), 'csv', PLAIN, true).split('\r\n\r\n')
  expect(series.trimEnd().split('\r\n')).toEqual([
    'scenario,policy,mechanism,from (s),requests per second (1/s),requests in flight,connections open',
    'busy-day,poll:5s,poll every 5 s,0,10,0,40',
    'busy-day,poll:5s,poll every 5 s,1,14,2,56',
    'busy-day,stream,stream (SSE),0,2,0,40',
    'busy-day,stream,stream (SSE),1,2,2,56',
  ])
})

test('JSON names the engine, has the row as it is, and series where they are asked for', () => {
  const result = aFleetResult([aFleetRow(), stream])
  const parse = (series: boolean) => JSON.parse(present(experimentOf(result), 'json', PLAIN, series))
  const [scenario] = parse(true).scenarios
  expect(scenario).toMatchObject({ name: 'busy-day', engine: 'fleet', seed: 1, misses: [] })
  const { reasons, ...plain } = aFleetRow()
  expect(scenario.rows[0]).toEqual(plain)
  expect(reasons).toEqual([])
  expect(scenario.rows[1]).toEqual(stream)
  const [{ rows }] = parse(false).scenarios
  expect(rows[0].load).toEqual({ mean: { value: 12, plusMinus: 0.12 }, peak: { value: 31, plusMinus: null } })
})

test('one task and many stand beside each other in every format', () => {
  const both: Experiment = { ...experimentOf(), scenarios: [aResult(), aFleetResult([aFleetRow()])] }
  expect(JSON.parse(present(both, 'json', PLAIN)).scenarios).toMatchObject([
    { engine: 'replay' },
    { engine: 'fleet' },
  ])
  expect(present(both, 'csv', PLAIN).split('\r\n\r\n')).toHaveLength(2)
  expect(present(both, 'table', PLAIN)).toMatch(/hundred-seconds: [^]*busy-day: /)
})

test.each([
  [
    aFleet({ arrivals: { of: 'even', tasks: 10_000, withinUs: 600_000_000 } }),
    '10,000 tasks, evenly over 10 min',
  ],
  [aFleet({ arrivals: { of: 'together', tasks: 1 }, clients: 1 }), '1 task, all at 0, of 1 client'],
  [
    aFleet({
      arrivals: {
        of: 'poisson',
        size: { of: 'rate', perSecond: 200_000 / 86_400 },
        withinUs: 90_000_000_000,
      },
    }),
    '200,000 tasks a day for 1 d 1 h, at random (Poisson)',
  ],
  [
    aFleet({ arrivals: { of: 'poisson', size: { of: 'tasks', tasks: 500 }, withinUs: 60_000_000 } }),
    '500 tasks within 1 min, at random (Poisson)',
  ],
  [
    aFleet({
      arrivals: {
        of: 'trace',
        withinUs: 1,
        trace: { file: 'traces/a.csv', atUs: Float64Array.of(0, 5), durationUs: Float64Array.of(1, 1) },
      },
    }),
    '2 tasks as recorded in traces/a.csv',
  ],
])('arrivals in words: %#', (fleet, words) => {
  expect(draw(aFleetResult([aFleetRow()], { fleet }))).toContain(`\nfleet        ${words}\n`)
})
