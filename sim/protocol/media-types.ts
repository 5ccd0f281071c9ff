/** Content types of the two bindings (specification 9.1, 11.1, 4.3.3). */

/** Bodies of the HTTP+JSON binding, and of webhook posts whatever the binding. */
export const A2A_JSON = 'application/a2a+json'

/** Bodies of the JSON-RPC binding, and the agent card. */
export const JSON_TYPE = 'application/json'

export const EVENT_STREAM = 'text/event-stream'

/** Both JSON types are welcome in both bindings, as the official client sends `application/json` everywhere. */
export function isJsonType(contentType: string | null): boolean {
  const type = contentType?.split(';', 1)[0]?.trim().toLowerCase()
  return type === JSON_TYPE || type === A2A_JSON
}
