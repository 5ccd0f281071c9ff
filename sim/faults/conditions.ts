/** What the faults of a scenario do to messages and hosts, instant by instant. */
import type { RandomStream } from '../kernel/random.ts'
import type { Conditions, HostConditions, LinkConditions } from '../path/conditions.ts'
import { kindOfOperation } from '../protocol/operations.ts'
import type { Party } from '../records/record.ts'
import type { Fault, FaultEffect, HostName, LinkName } from '../scenario/scenario.ts'
import { windowsOf, type Window, type Windows } from './windows.ts'

/** A fault with its time drawn. */
export interface TimedFault {
  effect: FaultEffect
  windows: Windows
}

/** Every fault draws its times from a stream of its own, so that one more does not move the others. */
export const timed = (faults: readonly Fault[], random: (purpose: string) => RandomStream): TimedFault[] =>
  faults.map(({ effect, when }, index) => ({ effect, windows: windowsOf(when, random(`fault ${index}`)) }))

/** The conditions faults make; quiet where no fault holds. Shares of several faults add up as independent chances. */
export function conditionsOf(faults: readonly TimedFault[]): Conditions {
  const aboutLinks = faults.filter(({ effect }) => 'link' in effect)
  const aboutHosts = faults.filter(({ effect }) => 'host' in effect || effect.of === 'answer')
  return {
    link(from, to, atUs) {
      const here = linkBetween(from, to)
      let conditions = QUIET
      for (const { effect, windows } of aboutLinks) {
        if (!('link' in effect) || effect.link !== here) continue
        const window = windows.around(atUs)
        if (window !== undefined) conditions = under(conditions, effect, window)
      }
      return conditions
    },
    host(party, operation, atUs) {
      for (const { effect, windows } of aboutHosts) {
        const state = stateUnder(effect, party, operation)
        if (state !== undefined && windows.around(atUs) !== undefined) return state
      }
      return UP
    },
  }
}

const QUIET: LinkConditions = {
  loss: 0,
  duplicate: 0,
  reorder: 0,
  delay: undefined,
  blocked: false,
  heldUntilUs: undefined,
}

const UP: HostConditions = { of: 'up' }

/** Webhook posts travel between agent and receiver, everything else between client and agent. */
const linkBetween = (from: Party, to: Party): LinkName =>
  from === 'receiver' || to === 'receiver' ? 'receiver' : 'network'

type LinkEffect = Extract<FaultEffect, { link: LinkName }>

function under(before: LinkConditions, effect: LinkEffect, { toUs }: Window): LinkConditions {
  switch (effect.of) {
    case 'partition':
      return { ...before, blocked: true }
    case 'hold':
      return { ...before, heldUntilUs: Math.max(before.heldUntilUs ?? 0, toUs) }
    case 'loss':
    case 'duplicate':
    case 'reorder':
      return { ...before, [effect.of]: 1 - (1 - before[effect.of]) * (1 - effect.share) }
    case 'delay':
      // Of two delays at once the later entry's holds: a scenario that wants their sum writes it.
      return { ...before, delay: effect.delay }
  }
}

function stateUnder(effect: FaultEffect, party: Party, operation: string): HostConditions | undefined {
  switch (effect.of) {
    case 'down':
    case 'restart':
      return effect.host === party ? { of: 'down' } : undefined
    case 'dns':
      return effect.host === party ? { of: 'no name' } : undefined
    case 'answer': {
      const { status, retryAfterUs, operations } = effect
      const kind = kindOfOperation(operation)
      const host: HostName = kind === 'post' ? 'receiver' : 'agent'
      // Without a list it is the agent that answers so; posts are named where they are meant.
      const isMeant = operations === undefined ? kind !== 'post' : operations.includes(kind)
      return isMeant && host === party ? { of: 'answers', status, retryAfterUs } : undefined
    }
    case 'partition':
    case 'hold':
    case 'loss':
    case 'duplicate':
    case 'reorder':
    case 'delay':
    case 'cut':
      return undefined
  }
}
