/** The registry of mechanisms: a new one is a folder and a line here. */
import type { Policy, SinglePolicy } from '../policies/policy.ts'
import { blocking } from './blocking/client.ts'
import type { ClientWorld, Ending, Mechanism } from './mechanism.ts'
import { polling } from './polling/client.ts'
import { push } from './push/client.ts'
import { streaming } from './streaming/client.ts'

type Registry = { [Kind in SinglePolicy['kind']]: Mechanism<Extract<SinglePolicy, { kind: Kind }>> }

const MECHANISMS: Registry = { poll: polling, stream: streaming, push, blocking }

// One policy type goes in and the same comes out, which the index by kind cannot express.
export const mechanismOf = <P extends Policy>(policy: P): Mechanism<P> =>
  MECHANISMS[policy.kind as SinglePolicy['kind']] as unknown as Mechanism<P>

/** Begins a job with the mechanism a policy belongs to. @throws ClientError if the client meets an error it was not made for */
export const runMechanism = (world: ClientWorld, policy: Policy): Promise<Ending> =>
  mechanismOf(policy).begin(world, policy, { configuration: {}, began: () => {} })

// Until the policies' own titles are there.
export const titleOf = ({ kind }: Policy): string => kind
