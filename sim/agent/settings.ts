/** What the card offers and the agent does. */
import { US_PER_SECOND } from '../kernel/units.ts'
import type { AgentExtension } from '../protocol/a2a.ts'
import { DELIVERY_EXTENSION } from '../protocol/delivery-extension.ts'
import type { ErrorProfile } from '../protocol/errors.ts'
import type { AgentSettings as ScenarioAgent } from '../scenario/scenario.ts'
import type { AccessSettings } from './access.ts'
import type { ExtendedCardSettings } from './extended-card.ts'

/** How a scenario has its agent tell of updates; the types say what each of it means. */
export type DeliverySettings = Pick<
  ScenarioAgent,
  'polling' | 'streaming' | 'push' | 'blocking' | 'ttl' | 'history' | 'quotas' | 'capacity'
>

export interface AgentSettings extends DeliverySettings {
  /** Whether a message that comes twice is recognised by its id; not unless told otherwise. */
  recognisesRepeats?: boolean
  /** Whose table of errors holds; v1.0.1 unless told otherwise. */
  errorProfile?: ErrorProfile
  /** Who may come in; everybody, as one anonymous caller, unless told otherwise. */
  access?: AccessSettings
  /** The extensions the card lists beside that of delivery; none unless told otherwise. */
  extensions?: readonly AgentExtension[]
  /** What callers with credentials read in the extended card; there is none unless told otherwise. */
  extendedCard?: ExtendedCardSettings
  /** Those the card has interfaces for, and no others are served; any is unless told otherwise. */
  tenants?: readonly string[]
}

/** An agent that does what A2A 1.0 says and nothing beside it; three attempts for each webhook post. */
const USUAL: DeliverySettings = {
  polling: {
    hints: [],
    hintVia: 'body',
    minIntervalUs: undefined,
    tooSoon: { answer: 'slow-down', addUs: 0 },
    holdUs: 0,
    etag: false,
  },
  streaming: {
    heartbeat: 'none',
    flush: 'at-once',
    replayUs: 0,
    lifetime: undefined,
    retryHintUs: undefined,
    buffer: undefined,
    closeOnInput: true,
  },
  push: {
    retry: {
      waits: { of: 'growing', initialUs: US_PER_SECOND, multiplier: 2, maxUs: undefined },
      jitter: { of: 'none' },
      attempts: 3,
      budgetUs: undefined,
      resetAfterUs: undefined,
      timeoutUs: undefined,
    },
    timeoutUs: 10 * US_PER_SECOND,
    events: 'all',
    ordered: true,
    giveUp: 'drop',
    disableAfter: undefined,
    signature: 'token',
  },
  blocking: { holdUs: undefined },
  ttl: undefined,
  history: undefined,
  quotas: [],
}

/** What an agent does that was told nothing, but for `changes`. */
export const settingsWith = (changes: Partial<AgentSettings> = {}): AgentSettings => ({
  ...USUAL,
  ...changes,
})

/** The extensions of the card. That of delivery is among them once the agent does any of it. */
export function extensionsOf(
  { polling, streaming, extensions = [] }: AgentSettings,
  hintsPolls: boolean,
): readonly AgentExtension[] {
  const delivers =
    hintsPolls ||
    polling.hints.length > 0 ||
    (polling.minIntervalUs !== undefined && polling.tooSoon.answer === 'slow-down') ||
    polling.holdUs > 0 ||
    polling.etag ||
    (streaming !== false && streaming.replayUs > 0)
  return delivers ? [...extensions, { uri: DELIVERY_EXTENSION }] : extensions
}
