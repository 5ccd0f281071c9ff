import type { Checker } from '../run.ts'

/** Every update was learned, superseded by one that was, or is reported lost. Counted anew, from the newest back. */
export const allAccounted: Checker = {
  name: 'all-accounted',
  check({ records, row }) {
    const learned = new Set(records.flatMap((record) => (record.kind === 'learned' ? record.updates : [])))
    const happened = records.filter((record) => record.kind === 'happened')
    const replaced = new Set<string>()
    let known = 0
    for (const { update, topic, replaces } of happened.toReversed()) {
      const isKnown = learned.has(update) || replaced.has(topic)
      if (isKnown) known += 1
      if (isKnown && replaces) replaced.add(topic)
    }
    const wrong: string[] = []
    const say = (what: string, told: number, counted: number) => {
      if (told !== counted) wrong.push(`${told} updates are reported ${what}, ${counted} are`)
    }
    say('happened', row.updates.happened, happened.length)
    say('learned', row.updates.learned, known)
    say('lost', row.updates.lost, happened.length - known)
    return wrong
  },
}
