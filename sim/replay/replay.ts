import type { Clock } from '../kernel/clock.ts'
import { inVirtualTime } from '../kernel/virtual-time.ts'
import { runMechanism, titleOf } from '../mechanisms/index.ts'
import type { Ending } from '../mechanisms/mechanism.ts'
import { rowOf } from '../metrics/row-of.ts'
import type { Row } from '../metrics/row.ts'
import { createNetwork } from '../network/wire.ts'
import { operationOf, saysOf } from '../protocol/operations.ts'
import { createJournal } from '../records/journal.ts'
import type { RunRecord } from '../records/record.ts'
import type { MechanismEntry, Scenario } from '../scenario/scenario.ts'
import { createWorld } from './world.ts'

/** One run: one scenario, one mechanism, one seed. */
export interface Replay {
  row: Row
  records: readonly RunRecord[]
  /** When the last exchange had settled, or the horizon. */
  endUs: number
}
