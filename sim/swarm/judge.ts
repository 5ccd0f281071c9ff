import { readScenario, ScenarioError } from '../scenario/index.ts'
import { CHECKERS } from './checkers/index.ts'
import { sameAgain } from './checkers/same-again.ts'
import { textOf, type Document } from './document.ts'
import { drawScenario } from './draw.ts'
import { playSwarmRun, type Tampering } from './play.ts'

/** What a run did that none may. */
export interface Violation {
  seed: number
  /** The property's name; `no-fault` if the simulator itself broke down. */
  checker: string
  /** One sentence each. */
  wrong: readonly string[]
}

/** Every so many seeds a run is played a second time, to see that it is the same. */
const PLAYED_TWICE = 50

/**
 * Plays the run of a seed and asks every checker.
 *
 * @throws ScenarioError if what was drawn is no scenario
 */
export const judgeSeed = (seed: number, tampering?: Tampering): Promise<Violation[]> =>
  judge(seed, drawScenario(seed), tampering)

/** The same for any document, such as a shrunk one. */
export async function judge(seed: number, document: Document, tampering?: Tampering): Promise<Violation[]> {
  const { scenario } = readScenario(textOf(document), `swarm-${seed}`)
  const [entry] = scenario.mechanisms
  if (entry === undefined) throw new Error('a drawn scenario names one mechanism')
  try {
    const run = await playSwarmRun({ scenario, entry }, tampering)
    const found = CHECKERS.map((checker) => ({ seed, checker: checker.name, wrong: checker.check(run) }))
    if (seed % PLAYED_TWICE === 0) {
      const again = await playSwarmRun({ scenario, entry }, tampering)
      found.push({ seed, checker: sameAgain.name, wrong: sameAgain.check(run, again) })
    }
    return found.filter(({ wrong }) => wrong.length > 0)
  } catch (error) {
    return [{ seed, checker: 'no-fault', wrong: [error instanceof Error ? error.message : String(error)] }]
  }
}

/** Whether a document is a scenario and goes wrong the way `checker` says. */
export async function goesWrong(
  seed: number,
  document: Document,
  checker: string,
  tampering?: Tampering,
): Promise<boolean> {
  try {
    return (await judge(seed, document, tampering)).some((violation) => violation.checker === checker)
  } catch (error) {
    if (error instanceof ScenarioError) return false
    throw error
  }
}
