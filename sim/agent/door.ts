/** Between the bindings and the operations: who asks, for which tenant, and whether they may. */
import type { AgentExtension } from '../protocol/a2a.ts'
import { invalidParams } from '../protocol/errors.ts'
import { isObject } from '../protocol/json-text.ts'
import { type AccessSettings, createReception, mustBeGranted } from './access.ts'
import type { Door } from './bindings/door.ts'
import { activatedBy, mustDeclareRequired } from './extensions.ts'
import type { Perform } from './operations.ts'

interface DoorSettings {
  access?: AccessSettings
  extensions?: readonly AgentExtension[]
  tenants?: readonly string[]
}

export function createDoor({ access, extensions = [], tenants }: DoorSettings, perform: Perform): Door {
  const receive = createReception(access)
  return (headers) => {
    const visitor = receive(headers)
    return (operation, params) => {
      mustBeGranted(visitor, operation)
      mustDeclareRequired(activatedBy(headers, extensions), extensions)
      return perform(operation, params, { owner: visitor.owner, tenant: tenantOf(params, tenants) })
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
