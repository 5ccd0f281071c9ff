/** Resolved scenarios for tests, without a file. */
import type { Binding } from '../protocol/a2a.ts'
import type { StateWord } from '../protocol/states.ts'
import type { Policy } from '../policies/policy.ts'
import type { MechanismEntry, Scenario, Update } from '../scenario/scenario.ts'

const SECOND_US = 1_000_000

export const seconds = (count: number): number => count * SECOND_US

export const status = (atUs: number, state: StateWord, text?: string): Update => ({
  atUs,
  change: { of: 'status', state, content: text === undefined ? undefined : { text } },
})

export const chunk = (
  atUs: number,
  artifact: string,
  { append = false, lastChunk = false } = {},
): Update => ({
  atUs,
  change: { of: 'artifact', artifact, content: { text: 'a line of the report' }, append, lastChunk },
})

/** The published table's job: five updates in 100 s, the last three at one instant. */
export const HUNDRED_SECONDS: readonly Update[] = [
  status(0, 'working'),
  status(seconds(20), 'working', 'Searching venues.'),
  chunk(seconds(100), 'venues-shortlist'),
  chunk(seconds(100), 'venues-shortlist', { append: true, lastChunk: true }),
  status(seconds(100), 'completed', 'Here are the venues.'),
]

export interface ScenarioFacts {
  updates?: readonly Update[]
  latencyUs?: number
  binding?: Binding
  seed?: number
  horizonUs?: number
}

export function scenarioOf({
  updates = HUNDRED_SECONDS,
  latencyUs = 0,
  binding = 'HTTP+JSON',
  seed = 1,
  horizonUs,
}: ScenarioFacts = {}): Scenario {
  const durationUs = updates.at(-1)?.atUs ?? 0
  return {
    name: 'test',
    files: [{ file: 'test.yaml', sha256: '' }],
    question: undefined,
    description: undefined,
    sources: [],
    seed,
    horizonUs: horizonUs ?? durationUs + seconds(3600),
    job: { message: { text: 'Find a venue in Lisbon for 120 people.' }, updates, durationUs },
    agent: { binding, errorProfile: '1.0.1', streaming: true, push: true },
    network: { latencyUs: { up: latencyUs, down: latencyUs } },
    mechanisms: [],
    thresholds: [],
    expectations: [],
  }
}

export const entryOf = (policy: Policy): MechanismEntry => ({ label: undefined, word: policy.kind, policy })

export const pollEvery = (intervalUs: number, firstAfterUs = 0): Policy => ({
  kind: 'poll',
  intervalUs,
  firstAfterUs,
  waitFrom: 'response',
})
