/** What a scenario puts between its parties, and what its faults make of it. */
import { conditionsOf, type TimedFault } from './conditions.ts'
import { trueDurationUs } from '../kernel/skewed-clock.ts'
import type { Conditions } from '../path/conditions.ts'
import { DIRECT_PATH, type Path } from '../path/path.ts'
import type { ClientLimits } from '../policies/middlebox.ts'
import type { Party } from '../records/record.ts'
import type { ClientSettings, Scenario } from '../scenario/scenario.ts'

/** `network` lies between client and agent, `receiver` between agent and receiver; the client keeps its own limits. */
export function pathsOf({ network, receiver, client }: Scenario): (from: Party, to: Party) => Path {
  const toAgent: Path = { ...network, limits: limitsOf(client) }
  const toReceiver: Path = receiver === 'none' ? DIRECT_PATH : { ...receiver, limits: undefined }
  return (_from, to) => (to === 'receiver' ? toReceiver : toAgent)
}

/** A client measures its limits by its own clock, as it does its waits; the network knows only true time. */
function limitsOf({ clock, ...limits }: ClientSettings): ClientLimits {
  const inTruth = (us: number | undefined) => (us === undefined ? undefined : trueDurationUs(us, clock.rate))
  const { timeoutUs, firstByteUs, idleUs } = limits
  return {
    ...limits,
    timeoutUs: inTruth(timeoutUs),
    firstByteUs: inTruth(firstByteUs),
    idleUs: inTruth(idleUs),
  }
}

/** The faults' conditions, and the receiver's own habit of getting posts twice or late. */
export function conditionsWith(
  faults: readonly TimedFault[],
  { receiver }: Scenario,
): Conditions | undefined {
  const habits = receiver === 'none' ? { duplicate: 0, reorder: 0 } : receiver
  const isQuiet = habits.duplicate === 0 && habits.reorder === 0
  if (faults.length === 0 && isQuiet) return undefined
  const conditions = conditionsOf(faults)
  if (isQuiet) return conditions
  return {
    ...conditions,
    link(from, to, atUs) {
      const met = conditions.link(from, to, atUs)
      if (to !== 'receiver') return met
      return {
        ...met,
        duplicate: either(met.duplicate, habits.duplicate),
        reorder: either(met.reorder, habits.reorder),
      }
    },
  }
}

/** The chance that one of two independent things happens. */
const either = (a: number, b: number): number => 1 - (1 - a) * (1 - b)
