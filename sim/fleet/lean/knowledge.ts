/** What the client knows of its task, by the numbers of moments and updates. The replay's knowledge finds the same out from texts. */
import type { Observation } from '../../mechanisms/mechanism.ts'
import type { ViewChange } from '../../protocol/view.ts'
import type { Channel } from '../../records/record.ts'
import type { LeanJournal } from './journal.ts'
import type { LeanUpdate, Moments, MomentView, NumberedChange } from './moments.ts'

export interface LeanKnowledge {
  /** An update has happened. */
  happened(update: number, atUs: number): void
  /** @param change one that this world gave */
  observe(change: ViewChange, by: Channel, exchange: number | undefined, atUs: number): Observation
}

const NOTHING_NEW: Observation = { news: false, terminal: false }
const STILL_OVER: Observation = { news: false, terminal: true }

/** @param wayUs how long what is read on a channel was on its way at least: of moments that read alike, later ones cannot be what was read */
export function createLeanKnowledge(
  { updates, alike }: Moments,
  journal: LeanJournal,
  wayUs: (by: Channel) => number,
): LeanKnowledge {
  /** When each update happened, the last time it did. */
  const happenedUs: number[] = []
  /** Updates the client does not know yet, in the order they happened. */
  const unknown = { status: new Set<number>(), artifact: new Set<number>() }
  /** Of chunks that read alike, those that happened. */
  const saying = new Map<string, number[]>()
  let endIsKnown = false

  function learn(from: Set<number>, newest: number, learned: number[]): void {
    if (from.size === 0) return
    for (const update of from) {
      if (update > newest) break
      learned.push(update)
      from.delete(update)
    }
  }

  /** The newest update that whoever reads this moment may have read. */
  function newestOf(moment: number, saidUs: number): number {
    const sharing = alike[moment]
    if (sharing === undefined) return moment - 1
    return (sharing.findLast((one) => one === 0 || (happenedUs[one - 1] ?? Infinity) <= saidUs) ?? moment) - 1
  }

  function newsIn(change: ViewChange, saidUs: number): number[] {
    const learned: number[] = []
    switch (change.of) {
      case 'task': {
        if (unknown.status.size === 0 && unknown.artifact.size === 0) return learned
        const newest = newestOf((change.view as MomentView).moment, saidUs)
        learn(unknown.status, newest, learned)
        learn(unknown.artifact, newest, learned)
        return learned.sort((a, b) => a - b)
      }
      case 'status':
        learn(unknown.status, (change as NumberedChange).update, learned)
        return learned
      case 'artifact': {
        const { phrase } = updates[(change as NumberedChange).update] as LeanUpdate
        // Chunks that read alike are told apart by their order.
        const first = saying.get(phrase)?.find((update) => unknown.artifact.has(update))
        if (first === undefined) return learned
        unknown.artifact.delete(first)
        learned.push(first)
        return learned
      }
    }
  }

  return {
    happened(number, atUs) {
      const { of, phrase, terminal } = updates[number] as LeanUpdate
      happenedUs[number] = atUs
      unknown[of].add(number)
      if (of === 'artifact') {
        const there = saying.get(phrase)
        if (there === undefined) saying.set(phrase, [number])
        else there.push(number)
      }
      // A task begun anew ends anew.
      if (terminal) endIsKnown = false
    },
    observe(change, by, exchange, atUs) {
      const learned = newsIn(change, atUs - wayUs(by))
      const news = learned.length > 0
      const terminal = news && (updates[learned.at(-1) as number] as LeanUpdate).terminal
      endIsKnown ||= terminal
      if (by === 'poll' && exchange !== undefined) journal.tellNews(exchange, news)
      if (!news) {
        if (change.of !== 'task') journal.append({ kind: 'duplicate', atUs, by })
        return endIsKnown ? STILL_OVER : NOTHING_NEW
      }
      journal.append({ kind: 'learned', atUs, updates: learned, by, terminal, exchange })
      // Of several questions learned at once the last is the one that waits.
      const asks = learned
        .map((update) => (updates[update] as LeanUpdate).asks)
        .findLast((one) => one !== undefined)
      return asks === undefined ? { news, terminal: endIsKnown } : { news, terminal: endIsKnown, asks }
    },
  }
}
