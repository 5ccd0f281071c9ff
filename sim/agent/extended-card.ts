import type { AgentCard, AgentSkill } from '../protocol/a2a.ts'
import { A2AError } from '../protocol/errors.ts'
import { mustSayWho } from './access.ts'
import { ANONYMOUS, type Scope } from './scope.ts'

/** The skills only callers with credentials hear of, or a card that promises them and has none. */
export type ExtendedCardSettings = readonly AgentSkill[] | 'not configured'

/**
 * The card for whom the agent knows (specification 3.1.11).
 *
 * @returns throws A2AError UnsupportedOperationError, ExtendedAgentCardNotConfiguredError or UnauthenticatedError
 */
export const extendedCardOf =
  (card: AgentCard, more: ExtendedCardSettings | undefined) =>
  ({ owner }: Scope): AgentCard => {
    if (more === undefined) throw new A2AError('UnsupportedOperationError', 'this agent has no extended card')
    if (more === 'not configured') throw new A2AError('ExtendedAgentCardNotConfiguredError')
    if (owner === ANONYMOUS) throw mustSayWho()
    return { ...card, skills: [...card.skills, ...more] }
  }
