import { spellDuration } from '../../kernel/units.ts'
import type { ChainPolicy, SinglePolicy } from '../../policies/policy.ts'
import type { ProcessWorld } from '../client-world.ts'
import type { BegunTask, Ending, Mechanism } from '../mechanism.ts'
import { type Process, run } from '../process.ts'
import { endingOf, type MechanismOf, type PartWorld, sharingQuestions, watchingSends } from './parts.ts'

type Link = (world: ProcessWorld) => Process<Ending>

/**
 * Each link takes over when the one before gives up or fails, and follows the
 * task that was begun. While no task is known the next link makes the send anew,
 * but only if the agent certainly acted on none before.
 */
export function createChain(mechanismOf: MechanismOf): Mechanism<ChainPolicy> {
  /** The links from `from` on, which begins or has ended as `started` says, and all of them again once the chain recovers. */
  function* goOn(
    whole: ProcessWorld,
    partWorld: ReturnType<typeof sharingQuestions>,
    { links, recoverUs }: ChainPolicy,
    { task, from, started }: { task: BegunTask; from: number; started: Link | Ending },
  ): Process<Ending> {
    const laterUs = () => (recoverUs === undefined ? undefined : whole.nowUs() + recoverUs)
    let index = from
    /** When the first is tried again, while another is in charge. */
    let backUs = index > 0 ? laterUs() : undefined
    let ending =
      typeof started === 'function' ? yield* untilTime(whole, partWorld(), started, backUs) : started
    for (;;) {
      if (ending !== 'time is up' && (ending.kind === 'learned' || index === links.length - 1)) return ending
      if (ending !== 'time is up' && index === 0) backUs = laterUs()
      if (ending === 'time is up') backUs = undefined
      index = ending === 'time is up' ? 0 : index + 1
      const link = links[index] as SinglePolicy
      const reason =
        ending === 'time is up' ? `${spellDuration(recoverUs ?? 0)} have passed` : reasonOf(ending)
      whole.handOver(link.kind, reason)
      const next: Link = (world) => mechanismOf(link).follow(world, link, task)
      ending = yield* untilTime(whole, partWorld(), next, backUs)
    }
  }

  return {
    *begin(whole, policy, beginning) {
      const partWorld = sharingQuestions(whole)
      const sending = watchingSends(whole)
      let index = 0
      for (;;) {
        const link = policy.links[index] as SinglePolicy
        let task: BegunTask | undefined
        const part = partWorld(sending.world)
        const began = (begun: BegunTask) => beginning.began((task = begun))
        let ending: Ending
        try {
          ending = yield* endingOf(mechanismOf(link).begin(part.world, link, { ...beginning, began }))
        } finally {
          part.ended()
        }
        if (ending.kind === 'learned') return ending
        if (task !== undefined)
          return yield* goOn(whole, partWorld, policy, { task, from: index, started: ending })
        const next = policy.links[++index]
        if (next === undefined) return ending
        if (sending.mayHaveBegun()) return { ...ending, reason: `${ending.reason}; ${NOBODY_KNOWS}` }
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
function* untilTime(
  whole: ProcessWorld,
  part: PartWorld,
  link: Link,
  untilUs: number | undefined,
): Process<Ending | 'time is up'> {
  const timer = untilUs === undefined ? undefined : whole.timer(untilUs)
  const running = run(endingOf(link(part.world)))
  try {
    yield timer === undefined ? running : [running, timer]
    return running.ready ? running.take() : 'time is up'
  } finally {
    timer?.cancel()
    if (!running.ready) {
      running.stop()
      part.stopErrands()
    }
    part.ended()
  }
}
