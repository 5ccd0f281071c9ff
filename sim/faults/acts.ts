/** Faults that happen at an instant: streams that are cut, hosts that restart. */
import type { PathClock } from '../path/clock.ts'
import type { CutHow } from '../policies/middlebox.ts'
import type { FaultEffect, HostName } from '../scenario/scenario.ts'
import type { TimedFault } from './conditions.ts'

/** Who carries such a fault out. */
export interface Hands {
  /** Lets the agent make its own changes of this instant: they come first. */
  agentFirst(): void
  cutStreams(how: CutHow): void
  restart(host: HostName, loses: Extract<FaultEffect, { of: 'restart' }>['loses']): void
}

/** Puts every such fault on the clock. The result calls off those to come. */
export function schedule(clock: PathClock, faults: readonly TimedFault[], hands: Hands): () => void {
  const pending = new Set<() => void>()

  function at(atUs: number, act: () => void): void {
    const cancel = clock.at(atUs, () => {
      pending.delete(cancel)
      act()
    })
    pending.add(cancel)
  }

  for (const { effect, windows } of faults) {
    const act = actOf(effect, hands)
    if (act === undefined) continue
    const arrange = (fromUs: number): void => {
      const window = windows.next(fromUs)
      if (window === undefined) return
      at(window.fromUs, () => {
        hands.agentFirst()
        // What the agent has just written is on its way only after a turn.
        at(clock.nowUs(), act)
        arrange(window.fromUs + 1)
      })
    }
    arrange(clock.nowUs())
  }
  return () => {
    for (const cancel of pending) cancel()
  }
}

function actOf(effect: FaultEffect, hands: Hands): (() => void) | undefined {
  if (effect.of === 'cut') return () => hands.cutStreams(effect.how)
  if (effect.of === 'restart') return () => hands.restart(effect.host, effect.loses)
  return undefined
}
