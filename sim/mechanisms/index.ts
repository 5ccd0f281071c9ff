/** The registry of mechanisms: a new one is a folder and a line here. */
import type { Policy } from '../policies/policy.ts'
import type { ClientWorld, Ending, Mechanism } from './mechanism.ts'
import { polling } from './polling/client.ts'
import { push } from './push/client.ts'
import { streaming } from './streaming/client.ts'

type Registry = { [Kind in Policy['kind']]: Mechanism<Extract<Policy, { kind: Kind }>> }

const MECHANISMS: Registry = { poll: polling, stream: streaming, push }

// One policy type goes in and the same comes out, which the index by kind cannot express.
const mechanismOf = <P extends Policy>(policy: P) => MECHANISMS[policy.kind] as unknown as Mechanism<P>

/** The row's name for people, such as `poll every 7s`. */
export const titleOf = (policy: Policy): string => mechanismOf(policy).title(policy)

/** Runs the mechanism a policy belongs to. */
export const runMechanism = (world: ClientWorld, policy: Policy): Promise<Ending> =>
  mechanismOf(policy).run(world, policy)
