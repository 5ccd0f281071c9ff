import type { MechanismEntry, Scenario } from '../scenario/scenario.ts'
import type { StreamPolicy } from '../policies/policy.ts'
import { singlesOf } from '../policies/singles.ts'

/** A stream policy of a scenario, and the entry it belongs to. */
export interface StreamOfEntry {
  entry: MechanismEntry
  policy: StreamPolicy
  /** Whether the entry is more than that stream: then what is lost to it may be learned by another part. */
  isPart: boolean
}

/** The streams of a scenario's mechanisms; those that differ in nothing but their heartbeat once. */
export function streamsOf({ mechanisms }: Scenario): readonly StreamOfEntry[] {
  const seen = new Set<string>()
  return mechanisms.flatMap((entry) =>
    singlesOf(entry.policy).flatMap((policy) => {
      if (policy.kind !== 'stream') return []
      const key = JSON.stringify({ ...policy, heartbeat: undefined })
      if (seen.has(key)) return []
      seen.add(key)
      return [{ entry, policy, isPart: policy !== entry.policy }]
    }),
  )
}
