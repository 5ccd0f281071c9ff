/** Holds the two engines together: what a replay leaves, and what the lean world does. */
import { leanJobOf } from '../fleet/lean/moments.ts'
import { createLeanJournal, playLean } from '../fleet/lean/play.ts'
import { leanScenario } from '../fleet/lean/world.ts'
import { randomStream } from '../kernel/random.ts'
import { processOf } from '../mechanisms/index.ts'
import type { RunRecord } from '../records/record.ts'
import { replay } from '../replay/index.ts'
import type { MechanismEntry, Scenario } from '../scenario/scenario.ts'

/** A run as lines: its records in order, and its end. */
export interface Told {
  replayed: string[]
  lean: string[]
}

/**
 * Plays a run in both engines. Of folded exchanges the replay knows the number
 * of the first alone, so others are told without; octets are left out.
 */
export async function tellBoth(scenario: Scenario, { policy, word, label }: MechanismEntry): Promise<Told> {
  const played = await replay(scenario, { policy, word, label })
  const journal = createLeanJournal()
  const endUs = playLean(leanScenario(scenario, policy), {
    job: leanJobOf(scenario.job),
    process: (world) => processOf(world, policy),
    random: (purpose) => randomStream(scenario.seed, purpose),
    journal,
  })
  const known = new Set(
    played.records.flatMap((record) => (record.kind === 'exchange' ? [record.number] : [])),
  )
  return {
    replayed: [...linesOf(played.records, known), `ends at ${played.endUs}`],
    lean: [...linesOf(journal.records, known), `ends at ${endUs}`],
  }
}

/** @param known the exchanges whose numbers are told */
function linesOf(records: readonly RunRecord[], known: ReadonlySet<number>): string[] {
  return records.flatMap((record) => {
    if (record.kind !== 'exchange') return [lineOf(record)]
    const { repeats, octets: _octets, number, startUs, endUs, arrivals, ...rest } = record
    const { count, everyUs } = repeats ?? { count: 1, everyUs: 0 }
    return Array.from({ length: count }, (_, n) =>
      lineOf({
        ...rest,
        ...(arrivals && { arrivals: arrivals.map(({ atUs, of, says }) => `${atUs} ${of} ${says}`) }),
        startUs: startUs + n * everyUs,
        endUs: endUs === undefined ? undefined : endUs + n * everyUs,
        number: n === 0 && known.has(number) ? number : undefined,
      }),
    )
  })
}

/** Members in one order, whatever order they were given in. */
const lineOf = (told: object): string =>
  JSON.stringify(Object.fromEntries(Object.entries(told).toSorted(([a], [b]) => (a < b ? -1 : 1))))
