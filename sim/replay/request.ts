import { partOf } from '../agent/content.ts'
import type { SendMessageRequest } from '../protocol/a2a.ts'
import type { Content } from '../scenario/scenario.ts'

/** What the user asks where the scenario does not say. */
const DEFAULT_MESSAGE: Content = { text: 'Find a venue in Lisbon for 120 people.' }

/** The message a job begins with. */
export const requestOf = (message: Content = DEFAULT_MESSAGE, ids: () => string): SendMessageRequest => ({
  message: { messageId: ids(), role: 'ROLE_USER', parts: [partOf(message)] },
})
