import type { SwarmRun } from '../run.ts'

/** The same seed replays the same run. The one property that takes two runs to see. */
export const sameAgain = {
  name: 'same-again',
  check(run: SwarmRun, again: SwarmRun): string[] {
    if (run.endUs !== again.endUs) return [`the run ended at ${run.endUs} µs, and again at ${again.endUs} µs`]
    const [records, others] = [run.records, again.records].map((list) =>
      list.map((record) => JSON.stringify(record)),
    ) as [string[], string[]]
    const first = Array.from({ length: Math.max(records.length, others.length) }, (_, index) => index).find(
      (index) => records[index] !== others[index],
    )
    if (first === undefined) return []
    return [`record ${first + 1} was ${records[first] ?? 'none'}, and again ${others[first] ?? 'none'}`]
  },
}
