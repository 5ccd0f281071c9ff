/** The fleet door: many tasks, counted instead of recorded. It loads neither the SDK nor the wire. */
import type { FleetEngine } from './door.ts'

export type { FleetEngine, FleetPart, FleetTally } from './door.ts'

/** Stands where the engine is still being built. */
const notYet = (): never => {
  throw new Error('the fleet engine is not built yet')
}

export const partsOf: FleetEngine['partsOf'] = notYet
export const runPart: FleetEngine['runPart'] = notYet
export const mergeTallies: FleetEngine['mergeTallies'] = notYet
export const fleetRow: FleetEngine['fleetRow'] = notYet
