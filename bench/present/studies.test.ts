import { describe, expect, test } from 'vitest'
import type { LoadedScenario } from '../../sim/index.ts'
import type { Study, StudyValue } from '../experiment/studies.ts'
import { aScenario } from './results.suite.ts'
import { studiesAsJson, studiesAsText } from './studies.ts'

const value = (changes: Partial<StudyValue> = {}): StudyValue => ({
  given: undefined,
  row: 'poll:30s',
  metric: 'polls',
  said: 'claimed',
  wanted: '1',
  obtained: '2',
  holds: false,
  ...changes,
})
const study = (name: string, verdict: Study['verdict'], values: StudyValue[]): Study => ({
  loaded: { scenario: aScenario({ name, sources: ['a page', 'a talk'] }) } as LoadedScenario,
  verdict,
  values,
  misses: [],
})
const report = {
  studies: [
    study('cut', 'reproduced', [
      value({ row: 'stream', metric: 'events', wanted: '[60s cut]', obtained: '[1m cut]', holds: true }),
      value({
        given: 'job.duration=3m',
        row: 'stream',
        metric: 'learnedAt',
        wanted: '3m',
        obtained: undefined,
      }),
    ]),
    study('twelve-calls', 'contradicts its own inputs', [value()]),
    study('ours', 'missed', [value({ said: 'expected' })]),
  ],
  tested: [{ id: 'league', question: 'How late?', source: 'a book', test: 'sim/league.test.ts' }],
  deferred: [{ file: 'scenarios/cases/herd.yaml', reason: 'fleet is not of this release' }],
}

describe('what became of the studies', () => {
  test('is told value by value, claimed or expected against obtained', () => {
    expect(studiesAsText(report)).toBe(
      `
cut: reproduced
  stream                         events     claimed [60s cut]  obtained [1m cut]
  stream, given job.duration=3m  learnedAt  claimed 3m         obtained nothing  ✗

twelve-calls: contradicts its own inputs
  poll:30s                       polls      claimed 1          obtained 2  ✗

ours: missed
  poll:30s                       polls      expected 1         obtained 2  ✗

league: a test of its own, sim/league.test.ts

herd: not run, fleet is not of this release

1 scenario reproduced, 1 whose claim contradicts its own inputs, 1 missed, 1 held by tests, 1 for a later release
`.slice(1),
    )
  })

  test('is the stable format as JSON', () => {
    expect(JSON.parse(studiesAsJson(report))).toEqual({
      format: 'delivery-bench-studies/1',
      studies: [
        {
          id: 'cut',
          file: 'my/hundred-seconds.yaml',
          source: 'a page; a talk',
          claimed: { stream: { events: '[60s cut]' }, 'stream given job.duration=3m': { learnedAt: '3m' } },
          obtained: { stream: { events: '[1m cut]' }, 'stream given job.duration=3m': { learnedAt: null } },
          verdict: 'reproduced',
        },
        {
          id: 'twelve-calls',
          file: 'my/hundred-seconds.yaml',
          source: 'a page; a talk',
          claimed: { 'poll:30s': { polls: '1' } },
          obtained: { 'poll:30s': { polls: '2' } },
          verdict: 'contradicts its own inputs',
        },
        {
          id: 'ours',
          file: 'my/hundred-seconds.yaml',
          source: 'a page; a talk',
          claimed: {},
          expected: { 'poll:30s': { polls: '1' } },
          obtained: { 'poll:30s': { polls: '2' } },
          verdict: 'missed',
        },
        {
          id: 'league',
          file: 'sim/league.test.ts',
          source: 'a book',
          claimed: {},
          obtained: {},
          verdict: 'test',
        },
        {
          id: 'herd',
          file: 'scenarios/cases/herd.yaml',
          claimed: {},
          obtained: {},
          verdict: 'later',
          reason: 'fleet is not of this release',
        },
      ],
    })
  })
})
