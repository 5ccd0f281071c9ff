/** The fleet door: many tasks, counted instead of recorded. It loads neither the SDK nor the wire. */
export type { FleetEngine, FleetPart, FleetTally } from './door.ts'
export type { Tally as WorkloadTally } from './tally/tally.ts'
export { runQ, runW } from './workloads.ts'
export { fleetRow, mergeTallies, partsOf, runPart } from './engine.ts'
