/** The registry of mechanisms: a new one is a folder and a line here. */
import type { Policy } from '../policies/policy.ts'
import { blocking } from './blocking/process.ts'
import type { ProcessWorld } from './client-world.ts'
import { createChain } from './hybrid/chain.ts'
import { createTogether } from './hybrid/together.ts'
import type { Ending, Mechanism } from './mechanism.ts'
import { polling } from './polling/process.ts'
import type { Process } from './process.ts'
import { push } from './push/process.ts'
import { streaming } from './streaming/process.ts'

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
 * A job that begins with one policy alone.
 *
 * @throws ClientError if the client meets an error it was not made for
 */
export const processOf = (world: ProcessWorld, policy: Policy): Process<Ending> =>
  mechanismOf(policy).begin(world, policy, { configuration: {}, began: () => {} })
