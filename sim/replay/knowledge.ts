import { createHash } from 'node:crypto'
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
  observe: (change: ViewChange, by: Channel, exchange?: number) => Observation
  /** The first such error, for a client may have swallowed it. */
  fault: () => Error | undefined
}

/**
 * @param wayUs how long what is read on a channel was on its way: of moments
 *   that read the same, those that came later cannot be what was read
 * @param asks the user's answer to an update that is a question
 */
export function createKnowledge(
  clock: Pick<Clock, 'nowUs'>,
  journal: Journal,
  wayUs: (by: Channel) => number,
  asks: (update: number) => Observation['asks'] = () => undefined,
): Knowledge {
  /** The moments at which the task read so, in order. Equal ones cannot be told apart by anybody. */
  const reading = new Map<string, { update: number; atUs: number }[]>()
  /** The updates that said so, in order. */
  const saying = new Map<string, number[]>()
  /** Updates the client does not know yet, ascending. Sets, so that knowing all of them costs no more than having them. */
  const unknown = { status: new Set<number>(), artifact: new Set<number>() }
  let end: { update: number; known: boolean } | undefined
  let fault: Error | undefined

  function unheardOf(said: string): Error {
    fault ??= new Error(`the client read what the agent never said: ${said}`)
    return fault
  }

  /** Takes the updates up to `newest` out of what is unknown. */
  function learn(from: Set<number>, newest: number): number[] {
    const learned: number[] = []
    for (const update of from) {
      if (update > newest) break
      learned.push(update)
      from.delete(update)
    }
    return learned
  }

  /** The updates that `change` tells of and the client did not know, ascending. */
  function newsIn(change: ViewChange, saidUs: number): number[] {
    const said = phraseOf(change)
    switch (change.of) {
      case 'task': {
        const newest = reading.get(digestOf(said))?.findLast(({ atUs }) => atUs <= saidUs)?.update
        if (newest === undefined) throw unheardOf(said)
        return [...learn(unknown.status, newest), ...learn(unknown.artifact, newest)].toSorted(
          (a, b) => a - b,
        )
      }
      case 'status': {
        const newest = saying.get(said)?.at(-1)
        if (newest === undefined) throw unheardOf(said)
        return learn(unknown.status, newest)
      }
      case 'artifact': {
        const alike = saying.get(said)
        if (alike === undefined) throw unheardOf(said)
        // Chunks that read alike are told apart by their order.
        const first = alike.find((update) => unknown.artifact.has(update))
        if (first === undefined) return []
        unknown.artifact.delete(first)
        return [first]
      }
    }
  }

  return {
    happened({ update, change, view, terminal }) {
      append(reading, digestOf(signatureOf(view)), { update, atUs: clock.nowUs() })
      if (change.of === 'task') return
      append(saying, phraseOf(change), update)
      unknown[change.of].add(update)
      if (terminal) end = { update, known: false }
    },
    observe(change, by, exchange) {
      const atUs = clock.nowUs()
      const updates = newsIn(change, atUs - wayUs(by))
      const news = updates.length > 0
      const terminal = end !== undefined && updates.includes(end.update)
      if (terminal && end !== undefined) end.known = true
      if (by === 'poll' && exchange !== undefined) {
        const poll = journal.exchange(exchange)
        if (poll !== undefined) poll.news = news
      }
      if (news) journal.append({ kind: 'learned', atUs, updates, by, terminal, exchange })
      else if (change.of !== 'task') journal.append({ kind: 'duplicate', atUs, by })
      // Of several questions learned at once the last is the one that waits.
      const question = updates.map(asks).findLast((answer) => answer !== undefined)
      return { news, terminal: end?.known === true, ...(question && { asks: question }) }
    },
    fault: () => fault,
  }
}

function append<T>(lists: Map<string, T[]>, key: string, value: T): void {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [value])
  else list.push(value)
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

const SHORT = 200

/** Long texts by their digest: a task that has said much would else be kept once for every moment. */
const digestOf = (signature: string): string =>
  signature.length <= SHORT ? signature : createHash('sha256').update(signature).digest('base64')
