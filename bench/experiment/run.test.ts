import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadScenario } from '../../sim/index.ts'
import { assetPath, DEFAULT_SCENARIOS } from '../assets.ts'
import { asJson } from '../present/json.ts'
import { runScenarios } from './run.ts'
import { runStudies } from './studies.ts'

test('two workers give the same bytes as none, scenario by scenario, mechanism by mechanism', async () => {
  const loaded = DEFAULT_SCENARIOS.map((path) => loadScenario(assetPath(path)))
  const jsonWith = async (workers: number) => {
    const scenarios = await runScenarios(loaded, { changes: [], workers })
    return asJson({ version: '0', command: [], scenarios })
  }
  const alone = await jsonWith(1)
  expect(await jsonWith(2)).toBe(alone)
  expect(JSON.parse(alone).scenarios).toMatchObject([
    { name: 'seed-table', rows: [102, 17, 6, 1, 1].map((requests) => ({ requests })) },
    { name: 'thorough-search', rows: [22, 5, 3, 1, 1].map((requests) => ({ requests })) },
  ])
})

test('what a scenario demands and expects is held against its rows', async () => {
  const scenario = loadScenario(assetPath(DEFAULT_SCENARIOS[0]), { thresholds: ['timeToLearn <= 10s'] })
  const wrong = { ...scenario, scenario: { ...scenario.scenario, seed: 2 } }
  const expectation = wrong.scenario.expectations[0]
  if (expectation === undefined) throw new Error('the seed table expects something')
  wrong.scenario.expectations = [{ ...expectation, wanted: { of: 'value', value: 1, precision: 0 } }]
  const [result] = await runScenarios([wrong], { changes: [], workers: 1 })
  const misses = result?.misses.map(({ policy, metric }) => `${policy} ${metric}`)
  expect(misses).toEqual(['poll:30s timeToLearn', 'poll:1s requests'])
})

test('what one entry demands is held against its own row alone', async () => {
  const loaded = loadScenario(assetPath(DEFAULT_SCENARIOS[1]), {
    mechanisms: ['poll:30s', '{ poll: 7s, thresholds: [ polls <= 2, timeToLearn <= 5s ] }'],
  })
  const [result] = await runScenarios([loaded], { changes: [], workers: 1 })
  expect(result?.misses.map(({ policy, metric }) => `${policy} ${metric}`)).toEqual(['poll:7s polls'])
})

describe('scenarios of many runs and with other values', () => {
  let folder = ''
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'runs-'))
  })
  afterAll(() => rmSync(folder, { recursive: true }))
  const load = (name: string, yaml: string) => {
    const file = join(folder, `${name}.yaml`)
    writeFileSync(file, yaml)
    return loadScenario(file)
  }

  test('a grid has a run for each point, shared by workers or not, and its mean is that of the points', async () => {
    const loaded = load('grid', 'job: grid:10s..20s,points=10\nmechanisms: [poll:5s]\n')
    const [alone] = await runScenarios([loaded], { changes: [], workers: 1 })
    const [shared] = await runScenarios([loaded], { changes: [], workers: 2 })
    expect(shared).toEqual(alone)
    // Midpoints 10.5, 11.5 … 19.5: learned at 15 or 20.
    const late = [4.5, 3.5, 2.5, 1.5, 0.5, 4.5, 3.5, 2.5, 1.5, 0.5].map((s) => s * 1000)
    const [row] = alone?.rows ?? []
    expect(row?.runs?.samples['timeToLearnMs']).toEqual(late)
    expect(row).toMatchObject({ timeToLearnMs: 2500, runs: { count: 10, outcomes: { learned: 10 } } })
  })

  test('of a variant only the named rows are played, and a miss says what was given', async () => {
    const loaded = load(
      'given',
      `
job: 20s
mechanisms: [poll:1s, poll:7s]
expect:
  - rows: { poll:7s: { timeToLearn: 1s, events: [7s poll, 21s learned] } }
  - given: { job.duration: 30s }
    rows: { poll:7s: { timeToLearn: 6s, events: [35s learned] } }
`,
    )
    const [result] = await runScenarios([loaded], { changes: [], workers: 1 })
    expect(result?.rows).toHaveLength(2)
    expect(result?.variants).toMatchObject([{ given: 'job.duration=30s', rows: [{ policy: 'poll:7s' }] }])
    expect(result?.misses).toMatchObject([
      { given: 'job.duration=30s', metric: 'timeToLearn', at: { line: 7 } },
    ])
  })

  test('a study whose claim does not follow from its inputs contradicts them', async () => {
    const study = (name: string, expected: number, claimed: number) =>
      load(
        name,
        `job: 20s\nmechanisms: [poll:5s]\nexpect: { poll:5s: { polls: ${expected} } }\nclaims: { poll:5s: { polls: ${claimed} } }\n`,
      )
    const told: string[] = []
    const studies = await runStudies(
      [study('a', 5, 5), study('b', 5, 4), study('c', 4, 4)],
      1,
      ({ loaded, verdict }, count) => told.push(`${count} ${loaded.scenario.name} ${verdict}`),
    )
    expect(told).toEqual(['1 a reproduced', '2 b contradicts its own inputs', '3 c missed'])
    expect(studies.map(({ verdict }) => verdict)).toEqual([
      'reproduced',
      'contradicts its own inputs',
      'missed',
    ])
    expect(studies[1]?.values).toEqual([
      {
        given: undefined,
        row: 'poll:5s',
        metric: 'polls',
        said: 'claimed',
        wanted: '4',
        obtained: '5',
        holds: false,
      },
    ])
  })

  test('a claim that nothing explains is missed, and what is expected stands in for claims where there are none', async () => {
    const unexplained = load('d', 'job: 20s\nmechanisms: [poll:5s]\nclaims: { poll:5s: { polls: 4 } }\n')
    const plain = load('e', 'job: 20s\nmechanisms: [poll:5s]\nexpect: { poll:5s: { polls: 5 } }\n')
    const studies = await runStudies([unexplained, plain], 1)
    expect(studies.map(({ verdict }) => verdict)).toEqual(['missed', 'reproduced'])
    expect(studies[1]?.values).toMatchObject([{ said: 'expected', wanted: '5', obtained: '5', holds: true }])
  })
})
