import type { Moment } from '../agent/tasks.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Observation } from '../mechanisms/mechanism.ts'
import { signatureOf, type ViewChange } from '../protocol/view.ts'
import type { Journal } from '../records/journal.ts'
import type { Channel } from '../records/record.ts'

/**
 * What the client knows, in terms of the agent's log. The agent's side tells
 * each moment as it happens; the client's side tells what it read off the wire.
 * The two meet by content alone: no hidden number travels.
 */
export interface Knowledge {
  happened: (moment: Moment) => void
  /**
   * @throws Error if the client read what the agent never said: then agent,
   *   wire or client are broken, and no result of this run would mean anything
   */
  observe: (change: ViewChange, by: Channel) => Observation
  /** The first such error, for a client may have swallowed it. */
  fault: () => Error | undefined
}

/** A moment with the texts by which what a client reads is matched. */
interface HeardMoment extends Moment {
  signature: string
  phrase: string
}

export function createKnowledge(clock: Pick<Clock, 'nowUs'>, journal: Journal): Knowledge {
  const moments: HeardMoment[] = []
  const known = new Set<number>()
  let terminal: number | undefined
  let fault: Error | undefined

  const unheardOf = (said: string): Error => {
    fault ??= new Error(`the client read what the agent never said: ${said}`)
    return fault
  }

  /** The updates that `change` tells of, known or not. */
  function updatesIn(change: ViewChange): number[] {
    const said = phraseOf(change)
    switch (change.of) {
      case 'task': {
        // Equal moments cannot be told apart by anybody: the client knows the newest of them.
        const newest = moments.findLast(({ signature }) => signature === said)
        if (newest === undefined) throw unheardOf(said)
        return moments.flatMap(({ update }) => (update >= 0 && update <= newest.update ? [update] : []))
      }
      case 'status': {
        const newest = moments.findLast(({ phrase }) => phrase === said)
        if (newest === undefined) throw unheardOf(said)
        return moments.flatMap(({ update, change: { of } }) =>
          of === 'status' && update <= newest.update ? [update] : [],
        )
      }
      case 'artifact': {
        // Chunks that look alike are told apart by their order: the first not yet known, else the last.
        const alike = moments.filter(({ phrase }) => phrase === said)
        const one = alike.find(({ update }) => !known.has(update)) ?? alike.at(-1)
        if (one === undefined) throw unheardOf(said)
        return [one.update]
      }
    }
  }

  return {
    happened(moment) {
      moments.push({ ...moment, signature: signatureOf(moment.view), phrase: phraseOf(moment.change) })
      if (moment.terminal) terminal = moment.update
    },
    observe(change, by) {
      const updates = updatesIn(change).filter((update) => !known.has(update))
      for (const update of updates) known.add(update)
      const over = terminal !== undefined && known.has(terminal)
      const news = updates.length > 0
      const atUs = clock.nowUs()
      if (by === 'poll') {
        const poll = journal.newestExchange('GetTask')
        if (poll !== undefined) poll.news = news
      }
      if (news) {
        const terminalToo = terminal !== undefined && updates.includes(terminal)
        journal.append({ kind: 'learned', atUs, updates, by, terminal: terminalToo })
      } else if (change.of !== 'task') {
        journal.append({ kind: 'duplicate', atUs, by })
      }
      return { news, terminal: over }
    },
    fault: () => fault,
  }
}

/** A change in one line, equal for changes that read equal. */
function phraseOf(change: ViewChange): string {
  switch (change.of) {
    case 'task':
      return signatureOf(change.view)
    case 'status':
      return `status ${change.state} ${change.timestamp} ${change.messageId}`
    case 'artifact':
      return `artifact ${change.append ? 'append' : 'new'} ${JSON.stringify([change.artifactId, change.says])}`
  }
}
