import { describe, expect, test } from 'vitest'
import type { Row } from '../../sim/index.ts'
import { asCsv } from './csv.ts'
import { asJson } from './json.ts'
import { asMarkdown } from './markdown.ts'
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

| mechanism | requests | webhook posts | stream events | empty polls | octets up | octets down | octets head | octets body | octets total | time to learn | conn. opened | conn. time |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
| poll every 30 s | 6 | – | – | 3 | 6,031 | 1,000 | 500 | 6,531 | 7,031 | 20 s late | 6 | 24 s |
| a \\| b | 1 | – | 6 | – | 1,000 | 2,000 | 627 | 2,373 | 3,000 | on time | 1 | 104 s |

The end was learned on time by a | b, with 1 request and 3,000 octets; poll every 30 s, the latest, 20 s late, saved no request.
`.slice(1),
    )
  })
})

describe('csv', () => {
  test('is RFC 4180 with raw numbers, units in the header, and nothing where the question does not apply', () => {
    const rows = [aPoll(30, 6, 20_000, 7_031), aRow({ mechanism: 'the "fast", one', streamEvents: 6 })]
    expect(asCsv(anExperiment(aResult({ rows })))).toBe(
      [
        'scenario,policy,outcome,mechanism,requests,webhook posts,stream events,empty polls,octets up,octets down,' +
          'octets head,octets body,octets total,time to learn (ms),conn. opened,conn. time (s)',
        'hundred-seconds,poll:30s,learned,poll every 30 s,6,,,3,6031,1000,500,6531,7031,20000,6,24',
        'hundred-seconds,stream,learned,"the ""fast"", one",1,,6,,1000,2000,627,2373,3000,0,1,104',
        '',
      ].join('\r\n'),
    )
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
        '"requests": 6, "polls": 5, "emptyPolls": 3, "webhookPosts": 0, "streamEvents": 0, "heartbeats": 0, ' +
        '"retries": 0, "reconnects": 0, "cuts": 0, ' +
        '"updates": { "happened": 1, "learned": 1, "coalesced": 0, "lost": 0, "messagesLost": 0, "duplicate": 0 }, ' +
        '"octets": { "total": 7031, "up": 6031, "down": 1000, "head": 500, "body": 6531 }, ' +
        '"timeToLearnMs": 20000, "learnedAtMs": 120000, "blindTimeMs": 0, ' +
        '"latenessMs": { "mean": 0, "p50": 0, "p95": 0, "max": 0 }, ' +
        '"connections": { "opened": 6, "peak": 1, "seconds": 24 } } ], "misses": [] } ] } ',
    )
  })

  test('carries what its numbers rest on', () => {
    const scenario = aScenario({ network: { latencyUs: { up: 142, down: 50_000 } } })
    const result = aResult({
      scenario,
      changes: ['--set', 'network.latency.up=142us'],
      assumptions: ['as told'],
    })
    expect(JSON.parse(asJson(anExperiment(result))).scenarios[0].pedigree).toMatchObject({
      binding: 'HTTP+JSON',
      job: { durationMs: 100_000, updates: 1 },
      latencyMs: { up: 0.142, down: 50 },
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
