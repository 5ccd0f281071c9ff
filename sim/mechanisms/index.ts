/** The registry of mechanisms: a new one is a folder and a line here. */
import type { Policy } from '../policies/policy.ts'
import { blocking } from './blocking/client.ts'
import { createChain } from './hybrid/chain.ts'
import { createTogether } from './hybrid/together.ts'
import type { ClientWorld, Ending, Mechanism } from './mechanism.ts'
import { polling } from './polling/client.ts'
import { push } from './push/client.ts'
import { streaming } from './streaming/client.ts'

type Registry = { [Kind in Policy['kind']]: Mechanism<Extract<Policy, { kind: Kind }>> }

const MECHANISMS: Registry = {
  poll: polling,
  stream: streaming,
  push,
  blocking,
  chain: createChain(mechanismOf),
  together: createTogether(mechanismOf),
}

/** The mechanism a policy belongs to. */
function mechanismOf<P extends Policy>(policy: P): Mechanism<P> {
  // One policy type goes in and the same comes out, which the index by kind cannot express.
  return MECHANISMS[policy.kind] as unknown as Mechanism<P>
}

/**
 * Begins a job with one policy alone.
 *
 * @throws ClientError if the client meets an error it was not made for
 */
export const runMechanism = (world: ClientWorld, policy: Policy): Promise<Ending> =>
  mechanismOf(policy).begin(world, policy, { configuration: {}, began: () => {} })
