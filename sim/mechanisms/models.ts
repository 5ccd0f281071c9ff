/** The registry of models, for those who compute without a wire: it loads neither clients nor the SDK. */
import type { Policy } from '../policies/policy.ts'
import { blockingModel } from './blocking/model.ts'
import { chainModel, togetherModel } from './hybrid/model.ts'
import type { Model } from './model.ts'
import { pollingModel } from './polling/model.ts'
import { pushModel } from './push/model.ts'
import { streamingModel } from './streaming/model.ts'

type Registry = { [Kind in Policy['kind']]?: Model<Extract<Policy, { kind: Kind }>> }

const MODELS: Registry = {
  poll: pollingModel,
  stream: streamingModel,
  push: pushModel,
  blocking: blockingModel,
  chain: chainModel((policy) => modelOf(policy)),
  together: togetherModel((policy) => modelOf(policy)),
}

/** The model of the mechanism a policy belongs to; `undefined` if it has none. */
export const modelOf = <P extends Policy>(policy: P): Model<P> | undefined =>
  // One policy type goes in and the same comes out, which the index by kind cannot express.
  MODELS[policy.kind] as unknown as Model<P> | undefined
