import type { TogetherPolicy } from '../../policies/policy.ts'
import type { SendMessageConfiguration } from '../../protocol/a2a.ts'
import type { BegunTask, ClientWorld, Ending, Mechanism } from '../mechanism.ts'
import { endingOf, type MechanismOf, type PartWorld, sharingQuestions } from './parts.ts'
import { watchSends } from './sends.ts'

type PartPolicy = TogetherPolicy['parts'][number]

/** One of the parts: its own world, and how it is told that it is not needed any more. */
interface Part extends PartWorld {
  policy: PartPolicy
  stop: AbortController
  /** What must stand in the send, if it has to stand ready before. */
  configuration: SendMessageConfiguration
  begin: Mechanism<PartPolicy>['begin']
  follow: Mechanism<PartPolicy>['follow']
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
    async begin(whole, policy, beginning) {
      const ensemble = createEnsemble(mechanismOf, whole, policy, true)
      const sends = watchSends(whole.fetch)
      let first: Ending | undefined
      for (const [index, part] of ensemble.parts.entries()) {
        const others = ensemble.parts.slice(index + 1)
        const configuration: SendMessageConfiguration = { ...beginning.configuration }
        for (const other of others) Object.assign(configuration, other.configuration)
        const following: Promise<Ending | undefined>[] = []
        const began = (task: BegunTask) => {
          beginning.began(task)
          for (const other of others) following.push(ensemble.run(other, followed(other, task)))
        }
        const world = { ...part.world, fetch: sends.fetch }
        const leading = await ensemble.run(part, () =>
          part.begin(world, part.policy, { configuration, began }),
        )
        first ??= leading
        if (following.length > 0) return ensemble.outcome([leading, ...(await Promise.all(following))], first)
        if (leading?.kind === 'learned' || sends.mayHaveBegun()) return ensemble.outcome([leading], first)
      }
      return ensemble.outcome([], first)
    },

    async follow(whole, policy, task) {
      const ensemble = createEnsemble(mechanismOf, whole, policy, false)
      const endings = await Promise.all(
        ensemble.parts.map((part) => ensemble.run(part, followed(part, task))),
      )
      return ensemble.outcome(endings, endings[0])
    },
  }
}

const followed = (part: Part, task: BegunTask) => () => part.follow(part.world, part.policy, task)

interface Ensemble {
  parts: readonly Part[]
  /** Never rejects; `undefined` for a part that was stopped. */
  run(part: Part, start: () => Promise<Ending>): Promise<Ending | undefined>
  /** @throws what broke a part, unless it is what a client may meet */
  outcome(endings: readonly (Ending | undefined)[], first: Ending | undefined): Ending
}

function createEnsemble(
  mechanismOf: MechanismOf,
  whole: ClientWorld,
  { parts: policies }: TogetherPolicy,
  beforeTheSend: boolean,
): Ensemble {
  const parts: Part[] = []
  let broken: { error: unknown } | undefined
  let knowsEnd = false

  function stopOthers(than: AbortController | undefined): void {
    for (const { stop } of parts) if (stop !== than) stop.abort()
  }

  const partWorld = sharingQuestions(whole)
  for (const [index, policy] of policies.entries()) {
    const stop = new AbortController()
    const { world, ended } = partWorld({
      signal: AbortSignal.any([whole.signal, stop.signal]),
      observe(...seen) {
        const observation = whole.observe(...seen)
        knowsEnd ||= observation.terminal
        if (observation.terminal) stopOthers(stop)
        return observation
      },
    })
    const mechanism = mechanismOf(policy)
    const prepared = beforeTheSend && index > 0 ? mechanism.prepare?.(world, policy) : undefined
    parts.push({
      policy,
      stop,
      world,
      ended,
      configuration: prepared?.configuration ?? {},
      begin: mechanism.begin,
      follow: prepared?.follow ?? mechanism.follow,
    })
  }

  return {
    parts,
    async run({ stop, ended }, start) {
      try {
        const ending = await endingOf(start())
        if (ending.kind === 'learned') stopOthers(stop)
        return ending
      } catch (error) {
        if (stop.signal.aborted) return undefined
        broken ??= { error }
        stopOthers(undefined)
        return undefined
      } finally {
        ended()
      }
    },
    outcome(endings, first) {
      // Errands of a part that was ready before the task was known: nobody waits for them.
      stopOthers(undefined)
      if (broken !== undefined) throw broken.error
      if (knowsEnd) return { kind: 'learned' }
      return endings.find((ending) => ending?.kind === 'learned') ?? first ?? NOBODY
    },
  }
}

/** Parts are stopped only by one that learns. */
const NOBODY: Ending = { kind: 'not-learned', reason: 'no part of the policy ran to its end' }
