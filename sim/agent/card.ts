import type { AgentCard, AgentExtension, AgentInterface } from '../protocol/a2a.ts'
import { HTTP_JSON_PATH, JSON_RPC_PATH } from '../protocol/paths.ts'
import { PROTOCOL_VERSION } from '../protocol/version.ts'
import { securityRequirementsOf, securitySchemesOf } from './access.ts'

export interface Offers {
  streaming: boolean
  push: boolean
  extendedCard: boolean
  /** Whether callers must say who they are. */
  access: boolean
  extensions: readonly AgentExtension[]
  /** Those with interfaces of their own. */
  tenants: readonly string[]
}

/** What the demo agent says of itself. HTTP+JSON comes first: clients take the first binding they know. */
export const cardOf = (origin: string, offers: Offers): AgentCard => ({
  name: 'Venue finder',
  description: 'Searches thoroughly for venues: a city and a headcount in, a shortlist out.',
  version: '1.0.0',
  supportedInterfaces: [undefined, ...offers.tenants].flatMap((tenant) => interfacesOf(origin, tenant)),
  capabilities: {
    streaming: offers.streaming,
    pushNotifications: offers.push,
    extendedAgentCard: offers.extendedCard,
    ...(offers.extensions.length > 0 && { extensions: [...offers.extensions] }),
  },
  ...(offers.access && securityOf(origin)),
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain', 'application/json'],
  skills: [
    {
      id: 'find-venues',
      name: 'Find venues',
      description: 'Shortlists venues in a city with seats for everybody.',
      tags: ['venues', 'events'],
      examples: ['Find a venue in Lisbon for 120 people'],
    },
  ],
})

const interfacesOf = (origin: string, tenant: string | undefined): AgentInterface[] =>
  [
    { url: `${origin}${HTTP_JSON_PATH}`, protocolBinding: 'HTTP+JSON' as const },
    { url: `${origin}${JSON_RPC_PATH}`, protocolBinding: 'JSONRPC' as const },
  ].map((one) => ({ ...one, protocolVersion: PROTOCOL_VERSION, ...(tenant !== undefined && { tenant }) }))

function securityOf(origin: string): Pick<AgentCard, 'securitySchemes' | 'securityRequirements'> {
  const securitySchemes = securitySchemesOf(origin)
  return { securitySchemes, securityRequirements: securityRequirementsOf(securitySchemes) }
}
