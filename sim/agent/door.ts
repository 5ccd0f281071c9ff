/** Between the bindings and the operations: who asks, for which tenant, whether they may, and whether too often. */
import type { Clock } from '../kernel/clock.ts'
import type { AgentExtension } from '../protocol/a2a.ts'
import { invalidParams } from '../protocol/errors.ts'
import { isObject } from '../protocol/json-text.ts'
import type { Quota } from '../scenario/scenario.ts'
import { type AccessSettings, createReception, mustBeGranted } from './access.ts'
import type { Door } from './bindings/door.ts'
import { activatedBy, mustDeclareRequired } from './extensions.ts'
import type { FrontDesk } from './front-desk.ts'
import type { Perform } from './operations.ts'
import { createGate } from './quota.ts'
import type { Scope } from './scope.ts'

interface DoorSettings {
  access?: AccessSettings
  extensions?: readonly AgentExtension[]
  tenants?: readonly string[]
  quotas: readonly Quota[]
}

export function createDoor(
  { access, extensions = [], tenants, quotas }: DoorSettings,
  perform: Perform,
  clock: Pick<Clock, 'nowUs'>,
  desk: FrontDesk | undefined,
): Door {
  const receive = createReception(access)
  const admitWithin = createGate(quotas, clock)
  return (headers) => {
    const visitor = receive(headers)
    return (operation, params, asks) => {
      mustBeGranted(visitor, operation)
      mustDeclareRequired(activatedBy(headers, extensions), extensions)
      const scope: Scope = { owner: visitor.owner, tenant: tenantOf(params, tenants) }
      admitWithin(params, scope)
      const serve = () => perform(operation, params, scope, asks)
      return desk === undefined ? serve() : desk.serve(operation, serve, asks)
    }
  }
}

/** Which tenant a request names, in its address or among its members; none is the empty string. */
function tenantOf(params: unknown, served: readonly string[] | undefined): string {
  const tenant = (isObject(params) ? params['tenant'] : undefined) ?? ''
  if (typeof tenant !== 'string') throw invalidParams('tenant', 'must be a string')
  if (tenant !== '' && served !== undefined && !served.includes(tenant))
    throw invalidParams('tenant', 'must be one of an interface in the agent card')
  return tenant
}
