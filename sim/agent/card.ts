import type { AgentCard } from '../protocol/a2a.ts'
import { HTTP_JSON_PATH, JSON_RPC_PATH } from '../protocol/paths.ts'
import { PROTOCOL_VERSION } from '../protocol/version.ts'

/** What the demo agent says of itself. HTTP+JSON comes first: clients take the first binding they know. */
export const cardOf = (origin: string, offers: { streaming: boolean; push: boolean }): AgentCard => ({
  name: 'Venue finder',
  description: 'Searches thoroughly for venues: a city and a headcount in, a shortlist out.',
  version: '1.0.0',
  supportedInterfaces: [
    {
      url: `${origin}${HTTP_JSON_PATH}`,
      protocolBinding: 'HTTP+JSON',
      protocolVersion: PROTOCOL_VERSION,
    },
    { url: `${origin}${JSON_RPC_PATH}`, protocolBinding: 'JSONRPC', protocolVersion: PROTOCOL_VERSION },
  ],
  capabilities: { streaming: offers.streaming, pushNotifications: offers.push, extendedAgentCard: false },
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
