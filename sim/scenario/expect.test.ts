import { describe, expect, test } from 'vitest'
import { createFiles } from './files.suite.ts'

const files = createFiles()
const complaint = (text: string): string => files.complaint(text).split('\n')[0] as string
const wantedOf = (metric: string, value: string) =>
  files.load(`job: 20s\nexpect:\n  push: { ${metric}: ${value} }\n`).scenario.expectations[0]

describe('expected values', () => {
  test.each([
    ['requests', '17', { of: 'value', value: 17, precision: 0 }],
    ['timeToLearn', '6.182s', { of: 'value', value: 6182, precision: 1 }],
    // A mean is as exact as it is written.
    ['mean(polls)', '7.8', { of: 'value', value: 7.8, precision: 0.1 }],
    ['waste', '95.8%', { of: 'value', value: 0.958, precision: 0.001 }],
    ['mean(requestsPerSecond)', '34.4', { of: 'value', value: 34.4, precision: 0.1 }],
    ['freshness', '90%..', { of: 'range', least: 0.9 }],
    ['learned', '80% ± 3se', { of: 'errors', value: 0.8, times: 3 }],
    ['polls', '200 ± 8%', { of: 'range', least: 184, most: 216 }],
    ['timeToLearn', '15s +- 3se', { of: 'errors', value: 15_000, times: 3 }],
    ['polls', '7.8 ± 2.5se', { of: 'errors', value: 7.8, times: 2.5 }],
  ])('%s: %s', (metric, value, wanted) => {
    expect(wantedOf(metric, value)).toMatchObject({ of: { text: metric }, written: value, wanted })
  })

  test('of a share, a width is in parts of the whole', () => {
    const { wanted } = wantedOf('waste', '95% ± 1%') as { wanted: { least: number; most: number } }
    expect(wanted.least).toBeCloseTo(0.94, 12)
    expect(wanted.most).toBeCloseTo(0.96, 12)
  })

  test('events have an instant, its precision and a kind', () => {
    expect(wantedOf('events', '[0 sent, 60s cut, 4.545s slow-down, 1h2m gave-up]')).toMatchObject({
      of: 'events',
      written: '[0 sent, 60s cut, 4.545s slow-down, 1h2m gave-up]',
      wanted: {
        of: 'events',
        events: [
          { atUs: 0, precisionUs: 0, event: 'sent' },
          { atUs: 60_000_000, precisionUs: 1_000_000, event: 'cut' },
          { atUs: 4_545_000, precisionUs: 1_000, event: 'slow-down' },
          { atUs: 3_720_000_000, precisionUs: 60_000_000, event: 'gave-up' },
        ],
      },
    })
  })

  const expected = (value: string) => `job: 9s\nexpect:\n  push: { ${value} }\n`

  test.each([
    [expected('events: 60s cut'), '3:19: events is a list: write [60s cut]'],
    [expected('events: []'), '3:19: events is a list: write [60s cut]'],
    [expected('events: [60s cut, 63s opend]'), '3:29: "opend" is no event: did you mean opened?'],
    [
      expected('events: [cut]'),
      '3:20: "cut" is no event: write an instant and what happens, such as 60s cut',
    ],
    [expected('events: [60 cut]'), '3:20: "60" has no unit: write 60s, 60ms or 60m'],
    [expected('waste: 0.95'), '3:18: waste is a share: "0.95" is no percentage: write 95%'],
    [expected('waste: 5s'), '3:18: waste is a share: "5s" is no percentage, such as 95%'],
    [expected('age: 5s'), '3:11: age is a number for each instant: write one of mean(age), max(age)'],
    [expected('age.max: 5s'), '3:11: there is no metric "age.max": write max(age)'],
    [expected('polls: 7 ± 3sd'), '3:18: polls is a count: "3sd" is no number'],
  ])('%j is refused', (text, message) => {
    expect(complaint(text)).toBe(`mine.yaml:${message}`)
  })
})

describe('other values', () => {
  const text = `
job: 10m
faults: [{ from: 100%, for: 30s, down: receiver }]
mechanisms: ["push:retry=none", poll:60s]
thresholds: [ lost == 0 ]
expect:
  - rows: { push:retry=none: { outcome: not-learned } }
  - given: { faults.0.for: 10m, job.duration: 20m }
    rows: { poll:60s: { timeToLearn: 0s } }
  - given: { poll.interval: 70s, network: { hops: [nginx] } }
    rows: { poll:1m10s: { polls: 10 } }
claims:
  - rows: { poll:60s: { polls: 11 } }
  - given: { "seed": 4 }
    rows: { poll:60s: { polls: 12 } }
`

  test('make scenarios of their own, with what is expected of them', () => {
    const { scenario, claims, variants } = files.load(text)
    expect(scenario.expectations).toMatchObject([{ row: 'push:retry=none', mechanism: 0, line: 7 }])
    expect(claims).toMatchObject([{ row: 'poll:60s', mechanism: 1, written: '11' }])
    expect(variants).toMatchObject([
      {
        given: { 'faults.0.for': '10m', 'job.duration': '20m' },
        scenario: {
          job: { durationUs: 1_200_000_000 },
          faults: [{ when: { fromUs: 1_200_000_000, toUs: 1_800_000_000 } }],
        },
        expectations: [{ row: 'poll:60s', mechanism: 1, line: 9 }],
        claims: [],
      },
      {
        given: { 'poll.interval': '70s', network: { hops: ['nginx'] } },
        scenario: { network: { hops: [{ name: 'nginx' }] }, mechanisms: [{}, { word: 'poll:70s' }] },
        expectations: [{ row: 'poll:1m10s', mechanism: 1 }],
      },
      {
        given: { seed: 4 },
        scenario: { seed: 4 },
        expectations: [],
        claims: [{ row: 'poll:60s', written: '12' }],
      },
    ])
  })

  test('are left alone when the command line makes it another scenario', () => {
    const loaded = files.load(text, { set: ['job.duration=5m'] })
    expect(loaded).toMatchObject({ claims: [], variants: [], expectationsSkipped: true })
    expect(files.load(text, { seed: 9 }).variants).toHaveLength(3)
  })

  test('are not inherited', () => {
    const { claims, variants, scenario } = files.load({
      'base.yaml': text,
      'mine.yaml': 'extends: base.yaml\n',
    })
    expect([...claims, ...variants, ...scenario.expectations]).toEqual([])
    expect(scenario.thresholds).toHaveLength(1)
  })

  const given = (map: string, rows = 'rows: {}') => `job: 9s\nexpect:\n  - given: ${map}\n    ${rows}\n`

  test.each([
    [given('5'), '3:12: given is a map of addresses: write given: { job.duration: 30s }'],
    [given('{ jub.duration: 3s }'), '3:14: unknown key jub: did you mean job?'],
    [given('{ network.latencey: 3s }'), '3:22: unknown key latencey: did you mean latency?'],
    [given('{ job.duration: 3 }'), '3:28: 3 has no unit: write 3s, 3ms or 3m'],
    [given('{ faults.0.for: 3s }'), '3:21: there is no faults.0: the scenario has no list faults'],
    [given('{ "job.durtion": 3s }'), '3:19: unknown key durtion: did you mean duration?'],
    [given('{ question: why }'), '3:14: question belongs in the file: it cannot be set from outside'],
    [given('{ seed: 2 }', 'row: {}'), '4:5: unknown key row: did you mean rows?'],
    [
      given('{ seed: 2 }', 'rows: { poll:8s: { requests: 3 } }'),
      '4:13: no mechanism gives a row "poll:8s": did you mean poll:1s?',
    ],
    [given('{ stream.reconnect: 3x }'), '3:32: '],
  ])('%j is refused', (yaml, message) => {
    expect(complaint(yaml).slice(0, `mine.yaml:${message}`.length)).toBe(`mine.yaml:${message}`)
  })
})
