/** Cases and studies, held against what is claimed or expected of them. */
import { assessExpectations, obtained } from '../../sim/index.ts'
import type { Expectation, LoadedScenario } from '../../sim/index.ts'
import { casesOf, cellsOf, playedCases, type PlayedCase } from './cases.ts'
import { playCells } from './cells.ts'
import { playFleetCells } from './fleet.ts'
import type { GivenMiss } from './experiment.ts'
import { missesOf } from './run.ts'

/**
 * `reproduced`: all came out. `contradicts its own inputs`: what was claimed did
 * not, but what follows from the same inputs did. `missed`: something else came out.
 */
export type Verdict = 'reproduced' | 'contradicts its own inputs' | 'missed'

/** One value that somebody says comes out, and what came out. */
export interface StudyValue {
  /** What differs from the scenario; `undefined` if nothing does. */
  given: string | undefined
  row: string
  metric: string
  /** `claimed` is what a study printed, `expected` what we hold true. */
  said: 'claimed' | 'expected'
  /** What is said to come out, as it is written. */
  wanted: string
  /** `undefined` if there is no such value, as the time to learn of who never learned. */
  obtained: string | undefined
  holds: boolean
}

export interface Study {
  loaded: LoadedScenario
  verdict: Verdict
  /** What was claimed; what is expected, where nothing was. */
  values: readonly StudyValue[]
  /** Expected values that did not come out. */
  misses: readonly GivenMiss[]
}

/**
 * Runs the scenarios, each by itself, and judges them.
 *
 * @param ended called with each study as it ends, and how many have ended by then
 */
export async function runStudies(
  loaded: readonly LoadedScenario[],
  workers: number | undefined,
  ended: (study: Study, count: number) => void = () => {},
): Promise<Study[]> {
  const studies: Study[] = []
  for (const one of loaded) {
    const cases = casesOf(one)
    const cells = cases.flatMap(cellsOf)
    const study = judge(
      one,
      one.scenario.fleet === undefined
        ? playedCases(cases, await playCells(cells, workers))
        : playedCases(cases, await playFleetCells(cells, { workers })),
    )
    studies.push(study)
    ended(study, studies.length)
  }
  return studies
}

function judge(loaded: LoadedScenario, cases: readonly PlayedCase[]): Study {
  const misses = cases.flatMap(missesOf)
  const claimed = cases.flatMap((one) => heldAgainst('claimed', one))
  const values = claimed.length > 0 ? claimed : cases.flatMap((one) => heldAgainst('expected', one))
  const failing = values.filter(({ holds }) => !holds)
  // What is expected of the same row and metric has come out, unless it is among the misses.
  const expected = new Set(cases.flatMap((one) => one.expectations.map((its) => keyOf(one.given, its))))
  const explained = failing.every(({ given, row, metric }) => expected.has([given, row, metric].join('\n')))
  const verdict =
    misses.length > 0 || !explained
      ? 'missed'
      : failing.length > 0
        ? 'contradicts its own inputs'
        : 'reproduced'
  return { loaded, verdict, values, misses }
}

const metricOf = ({ of }: Expectation): string => (typeof of === 'string' ? of : of.text)
const keyOf = (given: string | undefined, expectation: Expectation): string =>
  [given, expectation.row, metricOf(expectation)].join('\n')

const heldAgainst = (
  said: StudyValue['said'],
  { given, claims, expectations, results }: PlayedCase,
): StudyValue[] =>
  (said === 'claimed' ? claims : expectations).flatMap((one) => {
    const result = results[one.mechanism]
    if (result === undefined) return []
    return [
      {
        given,
        row: one.row,
        metric: metricOf(one),
        said,
        wanted: one.written,
        obtained: obtained(one, result),
        holds: assessExpectations([one], results).length === 0,
      },
    ]
  })
