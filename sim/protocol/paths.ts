/** Where an agent of this project answers, under its origin. */

/** Where every A2A client looks for the card (specification 8.2). */
export const AGENT_CARD_PATH = '/.well-known/agent-card.json'

/** The one address of the JSON-RPC binding. */
export const JSON_RPC_PATH = '/a2a/v1'

/** What stands before every path of the HTTP+JSON binding. */
export const HTTP_JSON_PATH = '/rest'
