import type { ChainPolicy, SinglePolicy, TogetherPolicy } from '../../policies/policy.ts'
import type { Model, ModelRun, QuietWorld } from '../model.ts'
import { begun, following, knownUs, type ModelOf } from './following.ts'

type Requests = ModelRun['requests']

/**
 * Each link from where the one before gave up, by the models of the links. In a
 * quiet world few do: a blocking send that is not held long enough, a stream
 * whose watchdog takes silence for death.
 *
 * @throws RangeError if the chain recovers before the end is learned: no model tells that
 */
export const chainModel =
  (modelOf: ModelOf): Model<ChainPolicy> =>
  (policy, world) =>
    chained(modelOf, policy, world, begun(modelOf, policy.links[0] as SinglePolicy, world))

function chained(
  modelOf: ModelOf,
  { links, recoverUs }: ChainPolicy,
  world: QuietWorld,
  first: ModelRun,
): ModelRun {
  const requests = [...first.requests]
  let run = first
  let backUs = Infinity
  for (const [index, link] of links.slice(1).entries()) {
    const fromUs = run.gaveUpUs
    if (run.learnedUs !== undefined || fromUs === undefined || fromUs >= world.horizonUs) break
    if (index === 0 && recoverUs !== undefined) backUs = fromUs + recoverUs
    run = following(modelOf, link, world, { fromUs, stoodReady: false })
    requests.push(...run.requests)
  }
  if (Math.min(run.learnedUs ?? Infinity, world.horizonUs) > backUs)
    throw new RangeError('no model tells what a chain does that goes back to its first link')
  return { ...run, requests }
}

/** The first part begins, the others follow once the task is known; whoever learns first ends the others. */
export const togetherModel =
  (modelOf: ModelOf): Model<TogetherPolicy> =>
  ({ parts }, world) => {
    const linksOf = (part: TogetherPolicy['parts'][number]) => (part.kind === 'chain' ? part.links : [part])
    const runs: ModelRun[] = []
    let fromUs: number | undefined
    for (const [index, part] of parts.entries()) {
      const [first] = linksOf(part) as [SinglePolicy]
      const whole: ChainPolicy =
        part.kind === 'chain' ? part : { kind: 'chain', links: [part], recoverUs: undefined }
      if (index === 0) {
        const run = begun(modelOf, first, world)
        fromUs = knownUs(first, run, world)
        runs.push(chained(modelOf, whole, world, run))
      } else if (fromUs !== undefined && fromUs < world.horizonUs)
        runs.push(
          chained(modelOf, whole, world, following(modelOf, first, world, { fromUs, stoodReady: true })),
        )
    }
    const learnedUs = Math.min(...runs.map((run) => run.learnedUs ?? Infinity))
    const winner = runs.find((run) => run.learnedUs === learnedUs)
    // A reply makes the task known before anything is read of it; a post is both at once.
    const hasReply = fromUs !== undefined && fromUs >= world.upUs + world.downUs
    const isMade = ({ startUs }: Requests[number]) => startUs < learnedUs || (hasReply && startUs === fromUs)
    const requests: Requests = runs.flatMap((run) =>
      run === winner ? run.requests : run.requests.filter(isMade),
    )
    return {
      requests: requests.toSorted((a, b) => a.startUs - b.startUs),
      learnedUs: learnedUs === Infinity ? undefined : learnedUs,
    }
  }
