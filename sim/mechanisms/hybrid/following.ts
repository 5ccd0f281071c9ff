/** What the parts of a policy do in a quiet world, whether they begin with the job or follow a task. */
import type { SinglePolicy } from '../../policies/policy.ts'
import type { Model, ModelRun, QuietWorld } from '../model.ts'
import { quietStream } from '../streaming/model.ts'

/** The models of single policies; the registry, given to those that are in it themselves. */
export type ModelOf = <P extends SinglePolicy>(policy: P) => Model<P> | undefined

/** @throws RangeError if a single policy has no model */
function singleModel<P extends SinglePolicy>(modelOf: ModelOf, policy: P): Model<P> {
  const model = modelOf(policy)
  if (model === undefined) throw new RangeError(`there is no model of ${policy.kind}`)
  return model
}

export const begun = (modelOf: ModelOf, policy: SinglePolicy, world: QuietWorld): ModelRun =>
  singleModel(modelOf, policy)(policy, world)

/** When whoever began with this policy knows the task: from the reply, or from a post that overtakes it. */
export function knownUs(
  policy: SinglePolicy,
  run: ModelRun,
  { upUs, downUs, updatesUs: [firstUs = Infinity] }: QuietWorld,
): number | undefined {
  if (policy.kind === 'blocking') return run.learnedUs ?? run.gaveUpUs
  const isPosted = policy.kind === 'push' && policy.register === 'with-send'
  return upUs + (isPosted ? Math.min(downUs, firstUs) : downUs)
}

/**
 * What a part does that follows from `fromUs` on: where its kind does not differ,
 * the same as one whose reply came then, without the send. A push that stood
 * ready needs no registration.
 */
export function following(
  modelOf: ModelOf,
  policy: SinglePolicy,
  world: QuietWorld,
  { fromUs, stoodReady }: { fromUs: number; stoodReady: boolean },
): ModelRun {
  const { upUs, downUs } = world
  if (policy.kind === 'stream') {
    const { exchanges, learnedUs, gaveUp } = quietStream(policy, world, fromUs)
    const requests = exchanges.map(({ operation, startUs }) => ({ operation, startUs }))
    return { requests, learnedUs, gaveUpUs: gaveUp?.atUs }
  }
  if (policy.kind === 'blocking') {
    // A GetTask, which agents of quiet worlds do not hold.
    const answeredUs = fromUs + upUs + downUs
    const over = world.endUs !== undefined && world.endUs <= fromUs
    const learnedUs = over && answeredUs < world.horizonUs ? answeredUs : undefined
    return {
      requests: [{ operation: 'GetTask', startUs: fromUs }],
      learnedUs,
      gaveUpUs: over ? undefined : answeredUs,
    }
  }
  if (policy.kind !== 'push') return followed(policy)
  return stoodReady && policy.register === 'with-send'
    ? withoutSend(singleModel(modelOf, policy)(policy, world), 0)
    : followed({ ...policy, register: 'after-reply' })

  function followed<P extends SinglePolicy>(itsPolicy: P): ModelRun {
    const laterUs = fromUs - upUs - downUs
    const earlier = (us: number) => us - laterUs
    const shifted: QuietWorld = {
      ...world,
      // What the one before it knew is no news.
      updatesUs: world.updatesUs.filter((us) => us > laterUs).map(earlier),
      endUs: world.endUs === undefined ? undefined : earlier(world.endUs),
      horizonUs: earlier(world.horizonUs),
      // The hint of a reply it did not see.
      hintUsAt: (ageUs) => (ageUs === 0 ? undefined : world.hintUsAt(ageUs + laterUs)),
    }
    return withoutSend(singleModel(modelOf, itsPolicy)(itsPolicy, shifted), laterUs)
  }
}

function withoutSend({ requests, learnedUs, gaveUpUs }: ModelRun, laterUs: number): ModelRun {
  const later = (us: number | undefined) => (us === undefined ? undefined : us + laterUs)
  return {
    requests: requests.slice(1).map(({ operation, startUs }) => ({ operation, startUs: startUs + laterUs })),
    learnedUs: later(learnedUs),
    gaveUpUs: later(gaveUpUs),
  }
}
