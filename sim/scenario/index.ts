/** What other folders use of the scenario format. */
export type { Expectation } from './expectation.ts'
export { SCHEMA_FILE, scenarioSchemaText } from './json-schema.ts'
export { loadScenario, readScenario, type LoadedScenario, type Overrides } from './load.ts'
export { listPolicies, titleOf, type ListedPolicy, type PolicySource } from './policies/index.ts'
export { ScenarioError, formatProblems, type Problem } from './problem.ts'
export type { ShownValue } from './shown.ts'
export type { Threshold } from './threshold.ts'
