/** What chains and combinations have in common: their parts are mechanisms like any other. */
import type { ChainPolicy, SinglePolicy } from '../../policies/policy.ts'
import type { Message } from '../../protocol/a2a.ts'
import { ClientError, type ClientWorld, type Ending, type Mechanism } from '../mechanism.ts'
import { statusSeen } from '../status-seen.ts'

/** The registry, given to those that are in it themselves. */
export type MechanismOf = <P extends SinglePolicy | ChainPolicy>(policy: P) => Mechanism<P>

/** How a part ended; what it could not go on after is how it failed. */
export const endingOf = (running: Promise<Ending>): Promise<Ending> =>
  running.catch((error: unknown) => {
    if (error instanceof ClientError) return { kind: 'failed', reason: error.message }
    throw error
  })

/** A part's side of the world, and what is to be called once the part has ended. */
export interface PartWorld {
  world: ClientWorld
  ended: () => void
}

/**
 * Worlds for parts that come after or beside each other: a question is asked of
 * the part that learned it, and if that ends before the answer, of the next part
 * that sees it still open.
 */
export function sharingQuestions(whole: ClientWorld): (more: Partial<ClientWorld>) => PartWorld {
  let open: { status: string; message: Message; dueUs: number; askedOf: symbol | undefined } | undefined
  return (more) => {
    const part = Symbol('part')
    const world: ClientWorld = {
      ...whole,
      ...more,
      observe(change, by, exchange) {
        const observation = (more.observe ?? whole.observe)(change, by, exchange)
        const status = statusSeen(change)
        const nowUs = whole.clock.nowUs()
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
    }
  }
}
