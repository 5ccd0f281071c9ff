/**
 * The light door: scenarios, what a row means, and how it is assessed. Loads
 * neither the engine nor the SDK; the engine is behind `replay/index.ts`.
 */
export type { Distribution } from './kernel/distribution.ts'
export {
  adviceFor,
  leftOut,
  matrixOf,
  streamsOf,
  stretchesOf,
  type HopCell,
  type HopMatrix,
} from './hops/index.ts'
export { formatDuration, msOf, parseDuration, spellDuration } from './kernel/units.ts'
export { appliesTo } from './metrics/applies.ts'
export {
  assessExpectations,
  assessThresholds,
  obtained,
  type Miss,
  type RowWithEvents,
} from './metrics/assess.ts'
export { eventsOf, type RunEvent } from './metrics/events.ts'
export { isFleetRow, noSteadyState } from './metrics/fleet-read.ts'
export { FLEET_COUNTS } from './metrics/fleet-row.ts'
export type { Estimate, FleetRow, OverTime, Spread } from './metrics/fleet-row.ts'
export { METRICS, metricOf, numbersOf, valueAt, type Metric } from './metrics/metrics.ts'
export { aggregateOf, nested, rowOfRuns, statisticsOf } from './metrics/replications.ts'
export { rowOf, type RunFacts } from './metrics/row-of.ts'
export type { Outcome, Row, Runs } from './metrics/row.ts'
export { didYouMean } from './policies/nearest.ts'
export type { Heartbeat, Policy, PollPolicy, PushPolicy, StreamPolicy } from './policies/policy.ts'
export type {
  Channel,
  ConnectionRecord,
  ExchangeOctets,
  ExchangeRecord,
  HappenedRecord,
  LearnedRecord,
  Party,
  RunRecord,
  StreamArrival,
} from './records/record.ts'
export {
  formatProblems,
  listPolicies,
  loadScenario,
  SCHEMA_FILE,
  ScenarioError,
  scenarioSchemaText,
  titleOf,
  type Expectation,
  type ListedPolicy,
  type LoadedScenario,
  type Overrides,
  type PolicySource,
  type Problem,
  type ShownValue,
  type Threshold,
} from './scenario/index.ts'
export type { Fleet } from './scenario/fleet.ts'
export type { Change, Content, Job, MechanismEntry, Scenario, Update } from './scenario/scenario.ts'
export { runOf } from './scenario/runs.ts'
export { writtenScenario } from './scenario/written.ts'
