import { spellDuration } from '../../kernel/units.ts'
import type { ChainPolicy, SinglePolicy } from '../../policies/policy.ts'
import type { BegunTask, ClientWorld, Ending, Mechanism } from '../mechanism.ts'
import { endingOf, type MechanismOf, type PartWorld, sharingQuestions } from './parts.ts'
import { watchSends } from './sends.ts'

type Link = (world: ClientWorld) => Promise<Ending>

/**
 * Each link takes over when the one before gives up or fails, and follows the
 * task that was begun. While no task is known the next link makes the send anew,
 * but only if the agent certainly acted on none before.
 */
export function createChain(mechanismOf: MechanismOf): Mechanism<ChainPolicy> {
  /** The links from `from` on, which runs already as `started`, and all of them again once the chain recovers. */
  async function goOn(
    whole: ClientWorld,
    partWorld: ReturnType<typeof sharingQuestions>,
    { links, recoverUs }: ChainPolicy,
    { task, from, started }: { task: BegunTask; from: number; started: Link },
  ): Promise<Ending> {
    const { clock } = whole
    const laterUs = () => (recoverUs === undefined ? undefined : clock.nowUs() + recoverUs)
    let index = from
    let run = started
    /** When the first is tried again, while another is in charge. */
    let backUs = index > 0 ? laterUs() : undefined
    for (;;) {
      const ending = await untilTime(whole, partWorld, run, backUs)
      if (ending !== 'time is up' && (ending.kind === 'learned' || index === links.length - 1)) return ending
      if (ending !== 'time is up' && index === 0) backUs = laterUs()
      if (ending === 'time is up') backUs = undefined
      index = ending === 'time is up' ? 0 : index + 1
      const link = links[index] as SinglePolicy
      const reason =
        ending === 'time is up' ? `${spellDuration(recoverUs ?? 0)} have passed` : reasonOf(ending)
      whole.handOver(link.kind, reason)
      run = (world) => mechanismOf(link).follow(world, link, task)
    }
  }

  return {
    async begin(whole, policy, beginning) {
      const partWorld = sharingQuestions(whole)
      const sends = watchSends(whole.fetch)
      let index = 0
      for (;;) {
        const link = policy.links[index] as SinglePolicy
        let task: BegunTask | undefined
        const part = partWorld({ fetch: sends.fetch })
        const began = (begun: BegunTask) => beginning.began((task = begun))
        const ending = await endingOf(mechanismOf(link).begin(part.world, link, { ...beginning, began }))
        part.ended()
        if (ending.kind === 'learned') return ending
        if (task !== undefined) {
          const started: Link = () => Promise.resolve(ending)
          return goOn(whole, partWorld, policy, { task, from: index, started })
        }
        const next = policy.links[++index]
        if (next === undefined) return ending
        if (sends.mayHaveBegun()) return { ...ending, reason: `${ending.reason}; ${NOBODY_KNOWS}` }
        whole.handOver(next.kind, ending.reason)
      }
    },

    follow(whole, policy, task) {
      const first = policy.links[0] as SinglePolicy
      const started: Link = (world) => mechanismOf(first).follow(world, first, task)
      return goOn(whole, sharingQuestions(whole), policy, { task, from: 0, started })
    },

    prepare(whole, policy) {
      const first = policy.links[0] as SinglePolicy
      const prepared = mechanismOf(first).prepare?.(whole, first)
      return {
        configuration: prepared?.configuration ?? {},
        follow(world, chain, task) {
          const follow = prepared?.follow ?? mechanismOf(first).follow
          const started: Link = (linkWorld) => follow(linkWorld, first, task)
          return goOn(world, sharingQuestions(world), chain, { task, from: 0, started })
        },
      }
    },
  }
}

const NOBODY_KNOWS = 'whether that began a task is not known, so nobody can go on from there'

const reasonOf = (ending: Ending): string => (ending.kind === 'learned' ? '' : ending.reason)

/** Runs a link until it ends, or until it is time for another. */
async function untilTime(
  { clock, signal }: ClientWorld,
  partWorld: (more: Partial<ClientWorld>) => PartWorld,
  run: Link,
  untilUs: number | undefined,
): Promise<Ending | 'time is up'> {
  const stop = new AbortController()
  const cancel = untilUs === undefined ? () => {} : clock.at(untilUs, () => stop.abort())
  const part = partWorld({ signal: AbortSignal.any([signal, stop.signal]) })
  try {
    return await endingOf(run(part.world))
  } catch (error) {
    if (stop.signal.aborted && !signal.aborted) return 'time is up'
    throw error
  } finally {
    cancel()
    part.ended()
  }
}
