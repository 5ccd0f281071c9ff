/** What chains and combinations have in common: their parts are mechanisms like any other. */
import type { ChainPolicy, SinglePolicy } from '../../policies/policy.ts'
import type { Message } from '../../protocol/a2a.ts'
import type { ProcessWorld } from '../client-world.ts'
import { ClientError, type Ending, type Mechanism } from '../mechanism.ts'
import type { Process } from '../process.ts'
import { createErrands } from '../errands.ts'
import { statusSeen } from '../status-seen.ts'

/** The registry, given to those that are in it themselves. */
export type MechanismOf = <P extends SinglePolicy | ChainPolicy>(policy: P) => Mechanism<P>

/** How a part ended; what it could not go on after is how it failed. */
export function* endingOf(part: Process<Ending>): Process<Ending> {
  try {
    return yield* part
  } catch (error) {
    if (error instanceof ClientError) return { kind: 'failed', reason: error.message }
    throw error
  }
}

/** A part's side of the world. */
export interface PartWorld {
  world: ProcessWorld
  /** To be called once the part has ended. */
  ended: () => void
  /** Stops what else is done there. */
  stopErrands: () => void
}

/**
 * Worlds for parts that come after or beside each other: a question is asked of
 * the part that learned it, and if that ends before the answer, of the next part
 * that sees it still open.
 */
export function sharingQuestions(whole: ProcessWorld): (more?: Partial<ProcessWorld>) => PartWorld {
  let open: { status: string; message: Message; dueUs: number; askedOf: symbol | undefined } | undefined
  return (more = {}) => {
    const part = Symbol('part')
    const errands = createErrands((process) => whole.errand(process))
    const world: ProcessWorld = {
      ...whole,
      ...more,
      errand: errands.begin,
      observe(change, by, exchange) {
        const observation = (more.observe ?? whole.observe)(change, by, exchange)
        const status = statusSeen(change)
        const nowUs = whole.nowUs()
        if (status === undefined) return observation
        if (observation.asks !== undefined) {
          const { message, afterUs } = observation.asks
          open = { status, message, dueUs: nowUs + afterUs, askedOf: part }
        } else if (open !== undefined && open.status !== status) open = undefined
        else if (open !== undefined && open.askedOf === undefined) {
          open.askedOf = part
          const asks = { message: open.message, afterUs: Math.max(0, open.dueUs - nowUs) }
          return { ...observation, asks }
        }
        return observation
      },
    }
    return {
      world,
      ended() {
        if (open?.askedOf === part) open.askedOf = undefined
      },
      stopErrands: errands.stop,
    }
  }
}

/** The same world, and whether any request made through it may have begun a task: then another send might begin a second. */
export function watchingSends(part: ProcessWorld): ReturnType<ProcessWorld['watchingSends']> {
  const { world, mayHaveBegun } = part.watchingSends()
  const { observe, errand } = part
  return { world: { ...world, observe, errand }, mayHaveBegun }
}
