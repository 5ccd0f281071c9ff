import { describe, expect, test } from 'vitest'
import { rowOfRuns, type Row } from '../../sim/index.ts'
import type { ScenarioResult } from '../experiment/experiment.ts'
import { fixed } from '../../sim/kernel/distribution.ts'
import { pathOf } from '../../sim/testing/scenario.ts'
import { asCsv } from './csv.ts'
import { asJson } from './json.ts'
import { asMarkdown } from './markdown.ts'
import { asTable } from './table.ts'
import { aPoll, aResult, aRow, anExperiment, aScenario } from './results.suite.ts'

describe('markdown', () => {
  test('is a table with its numbers to the right', () => {
    const rows = [aPoll(30, 6, 20_000, 7_031), aRow({ mechanism: 'a | b', streamEvents: 6 })]
    expect(asMarkdown(anExperiment(aResult({ rows })))).toBe(
      `
## hundred-seconds

What does it cost to learn that a 100 s search is finished?

- file: my/hundred-seconds.yaml (sha256 0123456789ab)
- job: 1 min 40 s, 1 update
- run: seed 1, engine replay, binding HTTP+JSON, horizon 1 h 1 min 40 s
- assumed: no latency; the agent card is known
- connections: an idle HTTP/1.1 connection closes 4 s after the last answer, as with Node's fetch
- counted: HTTP/1.1 octets, heads and bodies, without TCP and TLS; up is what the client's side sends, down what it receives

| mechanism | requests | stream events | empty polls | octets up | octets down | octets head | octets body | octets total | time to learn | conn. opened | conn. time |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
| poll every 30 s | 6 | – | 3 | 6,031 | 1,000 | 500 | 6,531 | 7,031 | 20 s late | 6 | 24 s |
| a \\| b | 1 | 6 | – | 1,000 | 2,000 | 627 | 2,373 | 3,000 | on time | 1 | 104 s |

The end was learned on time by a | b, with 1 request and 3,000 octets; poll every 30 s, the latest, 20 s late, saved no request.
`.slice(1),
    )
  })
})

describe('csv', () => {
  test('is RFC 4180 with raw numbers, units in the header, and nothing where the question does not apply', () => {
    const rows = [aPoll(30, 6, 20_000, 7_031), aRow({ mechanism: 'the "fast", one', streamEvents: 6 })]
    const text = asCsv(anExperiment(aResult({ rows })))
    const [head = '', poll = '', stream = '', end] = text.split('\r\n')
    expect(head).toMatch(/^scenario,policy,outcome,mechanism,requests,/)
    expect(stream).toMatch(/^hundred-seconds,stream,learned,"the ""fast"", one",1,/)
    expect(end).toBe('')
    const columns = head.split(',')
    const polled = Object.fromEntries(columns.map((column, i) => [column, poll.split(',')[i]]))
    expect(polled).toMatchObject({
      policy: 'poll:30s',
      requests: '6',
      'stream events': '',
      'empty polls': '3',
      'octets total': '7031',
      'time to learn (ms)': '20000',
      'freshness (share)': '1',
      'conn. time (s)': '24',
    })
    expect(new Set(columns).size).toBe(columns.length)
    expect(poll.split(',')).toHaveLength(columns.length)
  })
})

describe('json', () => {
  test('is the stable format, keys in its order', () => {
    const result = aResult({ rows: [aPoll(30, 6, 20_000, 7_031)] })
    const { pedigree: _, ...told } = JSON.parse(asJson(anExperiment(result))).scenarios[0]
    const text = asJson(anExperiment(result)).replaceAll(/\n\s*/g, ' ')
    const pedigree = /"pedigree": \{.*?\}, (?="rows")/
    expect(Object.keys(told)).toEqual(['name', 'file', 'sha256', 'seed', 'engine', 'rows', 'misses'])
    expect(text.replace(pedigree, '')).toBe(
      '{ "format": "delivery-bench/1", "version": "0.1.0", "command": [ "run", "my/hundred-seconds.yaml" ], ' +
        '"scenarios": [ { "name": "hundred-seconds", "file": "my/hundred-seconds.yaml", ' +
        `"sha256": "${'0123456789abcdef'.repeat(4)}", "seed": 1, "engine": "replay", "rows": [ ` +
        '{ "mechanism": "poll every 30 s", "policy": "poll:30s", "outcome": "learned", ' +
        '"learned": 1, "requests": 6, "polls": 5, "emptyPolls": 3, "webhookPosts": 0, "streamEvents": 0, "heartbeats": 0, ' +
        '"retries": 0, "reconnects": 0, "cuts": 0, ' +
        '"notModified": 0, "slowDowns": 0, "throttled": 0, "removed": 0, ' +
        '"updates": { "happened": 1, "learned": 1, "coalesced": 0, "lost": 0, "messagesLost": 0, "duplicate": 0 }, ' +
        '"octets": { "total": 7031, "up": 6031, "down": 1000, "head": 500, "body": 6531, "waste": 0 }, ' +
        '"timeToLearnMs": 20000, "learnedAtMs": 120000, "failedAtMs": null, "blindTimeMs": 0, ' +
        '"latenessMs": { "mean": 0, "p50": 0, "p95": 0, "max": 0 }, ' +
        '"ageMs": { "mean": 50000, "max": 100000 }, "stalenessMs": { "mean": 0, "max": 0 }, ' +
        '"freshness": 1, "waste": null, "requestsPerSecond": 0.01, ' +
        '"connections": { "opened": 6, "peak": 1, "seconds": 24 } } ], "misses": [] } ] } ',
    )
  })

  test('carries what its numbers rest on', () => {
    const scenario = aScenario({
      network: { ...pathOf(), latency: { up: fixed(142), down: { of: 'uniform', fromUs: 0, toUs: 50_000 } } },
    })
    const result = aResult({
      scenario,
      changes: ['--set', 'network.latency.up=142us'],
      assumptions: ['as told'],
    })
    expect(JSON.parse(asJson(anExperiment(result))).scenarios[0].pedigree).toMatchObject({
      binding: 'HTTP+JSON',
      job: { durationMs: 100_000, updates: 1 },
      latencyMs: { up: 0.142, down: '0 s to 50 ms' },
      horizonMs: 3_700_000,
      changes: ['--set', 'network.latency.up=142us'],
      assumptions: ['as told'],
    })
  })

  test('does not depend on the order in which a row was built', () => {
    const row = aRow()
    const backwards = Object.fromEntries(Object.entries(row).toReversed()) as unknown as Row
    const octets = Object.fromEntries(Object.entries(row.octets).toReversed()) as Row['octets']
    const other = anExperiment(aResult({ rows: [{ ...backwards, octets }] }))
    expect(asJson(other)).toBe(asJson(anExperiment(aResult({ rows: [row] }))))
  })

  test('of many runs gives statistics, and the samples that differ, a line each', () => {
    const row = rowOfRuns([aPoll(5, 6, 1_000, 9_000), aPoll(5, 8, 2_000, 9_000), aPoll(5, 9, null, 9_000)])
    const text = asJson(anExperiment(aResult({ rows: [row], policies: [] })))
    const [told] = JSON.parse(text).scenarios[0].rows
    expect(told).toMatchObject({
      outcome: 'learned',
      polls: { mean: 20 / 3, p50: 7, p95: 8, min: 5, max: 8, n: 3 },
      octets: { total: { mean: 9_000, min: 9_000, max: 9_000, n: 3 } },
      timeToLearnMs: { mean: 1_500, p50: 2_000, p95: null, min: 1_000, max: null, n: 2 },
      failedAtMs: null,
      runs: { count: 3, outcomes: { learned: 2, 'not-learned': 1, failed: 0 } },
    })
    expect(Object.keys(told.runs.samples)).toEqual(
      expect.arrayContaining(['requests', 'polls', 'timeToLearnMs', 'connections.seconds']),
    )
    expect(told.runs.samples).not.toHaveProperty(['octets.total'])
    expect(text).toContain('"timeToLearnMs": [1000,2000,null]')
  })

  test('names the policies of the library, in every format, and what came out of variants', () => {
    const policies = [
      {
        id: 'chromium',
        kind: 'reconnect',
        name: undefined,
        source: 'its code',
        asOf: '2026-10',
        confidence: 'A',
      },
    ] as ScenarioResult['policies']
    const variants = [{ given: 'faults.0.for=10m', rows: [aRow()] }]
    const misses = [
      { given: 'seed=2', mechanism: 'a', policy: 'a', metric: 'polls', wanted: '1', got: '2', message: '' },
    ]
    const [told] = JSON.parse(asJson(anExperiment(aResult({ policies, variants, misses })))).scenarios
    expect(told.pedigree.policies).toEqual(policies)
    const line = '@chromium (reconnect): its code, as of 2026-10, confidence A\n'
    expect(asMarkdown(anExperiment(aResult({ policies })))).toContain(`\n- ${line}`)
    expect(asTable(anExperiment(aResult({ policies })), { columns: 120, colour: false })).toContain(line)
    expect(told.variants).toMatchObject([{ given: 'faults.0.for=10m', rows: [{ policy: 'stream' }] }])
    expect(told.misses).toEqual([{ given: 'seed=2', policy: 'a', metric: 'polls', wanted: '1', got: '2' }])
  })

  test('keeps why a row was not learned, and names the files a scenario extends', () => {
    const never = { ...aPoll(7, 9, null, 5_000), reason: 'the horizon', latenessMs: null }
    const scenario = aScenario({
      files: [aScenario().files[0], { file: String.raw`my/base.yaml`, sha256: 'f'.repeat(64) }],
    })
    const { scenarios } = JSON.parse(asJson(anExperiment(aResult({ rows: [never], scenario }))))
    expect(scenarios[0].extends).toEqual([{ file: 'my/base.yaml', sha256: 'f'.repeat(64) }])
    expect(scenarios[0].rows[0]).toMatchObject({
      outcome: 'not-learned',
      reason: 'the horizon',
      timeToLearnMs: null,
      latenessMs: null,
    })
  })
})
