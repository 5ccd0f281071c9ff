import type { TogetherPolicy } from '../../policies/policy.ts'
import type { SendMessageConfiguration } from '../../protocol/a2a.ts'
import type { ProcessWorld } from '../client-world.ts'
import { type BegunTask, type Ending, LEARNED, type Mechanism } from '../mechanism.ts'
import { type Process, run, type Running } from '../process.ts'
import { createBell } from '../waiting.ts'
import { endingOf, type MechanismOf, type PartWorld, sharingQuestions, watchingSends } from './parts.ts'

type PartPolicy = TogetherPolicy['parts'][number]

/** One of the parts, in its own world. */
interface Part extends PartWorld {
  policy: PartPolicy
  /** What must stand in the send, if it has to stand ready before. */
  configuration: SendMessageConfiguration
  begin: Mechanism<PartPolicy>['begin']
  follow: Mechanism<PartPolicy>['follow']
  /** `undefined` before it was started. */
  running: Running<void> | undefined
  /** How it ended; `undefined` until then, and if it was stopped or broke. */
  ending: Ending | undefined
  isStopped: boolean
}

/**
 * Parts side by side. The first makes the send; the others follow the task as
 * soon as it is known, and those that must stand ready before the send do.
 * Whoever learns the end first ends the others. If none learns it the first
 * part's ending is that of all. Where a part ends before a task is known the
 * next makes the send, but only if the agent certainly acted on none before.
 */
export function createTogether(mechanismOf: MechanismOf): Mechanism<TogetherPolicy> {
  return {
    *begin(whole, policy, beginning) {
      const ensemble = createEnsemble(mechanismOf, whole, policy, true)
      const { parts, start, end } = ensemble
      try {
        const sending = watchingSends(whole)
        let first: Ending | undefined
        for (const [index, part] of parts.entries()) {
          const others = parts.slice(index + 1)
          const configuration: SendMessageConfiguration = { ...beginning.configuration }
          for (const other of others) Object.assign(configuration, other.configuration)
          let isKnown = false
          const began = (task: BegunTask) => {
            isKnown = true
            beginning.began(task)
            for (const other of others) start(other, followed(other, task))
          }
          const { observe, errand } = part.world
          const world = { ...sending.world, observe, errand }
          start(part, part.begin(world, part.policy, { configuration, began }))
          yield* end([part])
          first ??= part.ending
          if (isKnown) yield* end(others)
          if (isKnown || part.ending?.kind === 'learned' || sending.mayHaveBegun()) break
        }
        return ensemble.outcome(first)
      } finally {
        ensemble.stop()
      }
    },

    *follow(whole, policy, task) {
      const ensemble = createEnsemble(mechanismOf, whole, policy, false)
      const { parts, start, end } = ensemble
      try {
        for (const part of parts) start(part, followed(part, task))
        yield* end(parts)
        return ensemble.outcome(parts[0]?.ending)
      } finally {
        ensemble.stop()
      }
    },
  }
}

const followed = (part: Part, task: BegunTask) => part.follow(part.world, part.policy, task)

interface Ensemble {
  parts: readonly Part[]
  start: (part: Part, process: Process<Ending>) => void
  /** Waits until these have ended or were stopped. */
  end: (parts: readonly Part[]) => Process<void>
  stop: () => void
  /** @throws what broke a part, unless it is what a client may meet */
  outcome(first: Ending | undefined): Ending
}

function createEnsemble(
  mechanismOf: MechanismOf,
  whole: ProcessWorld,
  { parts: policies }: TogetherPolicy,
  beforeTheSend: boolean,
): Ensemble {
  const parts: Part[] = []
  const somebodyStopped = createBell()
  let broken: { error: unknown } | undefined
  let knowsEnd = false

  function stopOthers(than: Part | undefined): void {
    for (const part of parts) {
      if (part === than) continue
      part.isStopped = true
      part.running?.stop()
      part.stopErrands()
    }
    somebodyStopped.ring()
  }

  function* watched(part: Part, process: Process<Ending>): Process<void> {
    try {
      part.ending = yield* endingOf(process)
      if (part.ending.kind === 'learned') stopOthers(part)
    } catch (error) {
      if (part.isStopped) return
      broken ??= { error }
      stopOthers(undefined)
    } finally {
      part.ended()
    }
  }

  const partWorld = sharingQuestions(whole)
  for (const [index, policy] of policies.entries()) {
    const { begin, follow, prepare } = mechanismOf(policy)
    const its = partWorld({
      observe(...seen) {
        const observation = whole.observe(...seen)
        knowsEnd ||= observation.terminal
        if (observation.terminal) stopOthers(part)
        return observation
      },
    })
    const prepared = beforeTheSend && index > 0 ? prepare?.(its.world, policy) : undefined
    const part: Part = {
      ...its,
      policy,
      configuration: prepared?.configuration ?? {},
      begin,
      follow: prepared?.follow ?? follow,
      running: undefined,
      ending: undefined,
      isStopped: false,
    }
    parts.push(part)
  }

  return {
    parts,
    start(part, process) {
      if (part.isStopped) return
      part.running = run(watched(part, process))
      // It may have been stopped by what it did first.
      if (part.isStopped) part.running.stop()
    },
    *end(some) {
      for (;;) {
        somebodyStopped.hush()
        const underWay = some.flatMap(({ running }) => (running?.ready === false ? [running] : []))
        if (underWay.length === 0) return
        yield [...underWay, somebodyStopped]
      }
    },
    stop: () => stopOthers(undefined),
    outcome(first) {
      if (broken !== undefined) throw broken.error
      if (knowsEnd) return LEARNED
      return parts.find(({ ending }) => ending?.kind === 'learned')?.ending ?? first ?? NOBODY
    },
  }
}

/** Parts are stopped only by one that learns. */
const NOBODY: Ending = { kind: 'not-learned', reason: 'no part of the policy ran to its end' }
