import { expect, test } from 'vitest'
import { loadScenario } from '../../sim/index.ts'
import { assetPath, DEFAULT_SCENARIOS } from '../assets.ts'
import { asJson } from '../present/json.ts'
import { runScenarios } from './run.ts'

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
