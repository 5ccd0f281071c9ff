/** What the agent does beside its job. */
import * as z from 'zod'
import { parseDuration } from '../../kernel/units.ts'
import { didYouMean } from '../../policies/nearest.ts'
import { resolveDistribution, distribution } from '../distribution.ts'
import { CapacityMap, resolveCapacity } from './capacity.ts'
import { HeartbeatSchema, resolveHeartbeat, type HeartbeatInput } from '../policies/heartbeat.ts'
import { DEFAULT_SENDING, SendingMap, resolveSending } from '../policies/sending.ts'
import { positiveDuration, wait } from '../policies/wait.ts'
import { RateWord, count, duration, either, oneOf, wholeNumber, word } from '../schema-parts.ts'
import type { AgentSettings, PollingSettings, Quota, StreamingSettings } from '../scenario.ts'
import type { Say, Surroundings } from '../surroundings.ts'
import { DURATION_PATTERN, durationProblem, durationUs, kindOf, perSecondOf, quoted } from '../values.ts'

const HintStep = z.strictObject({
  from: wait('from which age of the task on').optional(),
  hint: positiveDuration('the wait suggested then').optional(),
})

const TOO_SOON = z.literal(['slow-down', '429', 429], {
  error: ({ input }) =>
    typeof input === 'string' || typeof input === 'number'
      ? `${quoted(input)} is not known here${didYouMean(String(input), ['slow-down', '429'])}\nallowed: slow-down, 429`
      : `expected slow-down or 429, got ${kindOf(input)}`,
})

export const TooSoonMap = z.strictObject({
  answer: TOO_SOON.meta({ description: 'the answer to a poll that comes too soon' }).optional(),
  add: wait('what each such answer adds to the gap').optional(),
})

export const PollingMap = z.strictObject({
  hint: either('a duration, or a list of steps such as { from: 1m, hint: 10s }', [
    positiveDuration(''),
    z.array(HintStep).min(1, { error: 'this list is empty: leave hint out to give none' }),
  ])
    .meta({ description: 'the wait the agent suggests: a duration, or steps by the age of the task' })
    .optional(),
  hintVia: oneOf(['body', 'header', 'retry-after'], 'where the hint stands').optional(),
  minInterval: positiveDuration('the shortest gap between two polls of one task').optional(),
  tooSoon: either('slow-down, 429 or a map with answer and add', [TOO_SOON, TooSoonMap])
    .meta({ description: 'what becomes of a poll below that gap: slow-down, 429 or { answer, add }' })
    .optional(),
  hold: wait('how long a GetTask may be held (long polling)').optional(),
  etag: z.boolean().meta({ description: '304 to a poll that names what the client has' }).optional(),
})

const REPLAYS = 'none, all, or for how long events are kept'

export const StreamingMap = z.strictObject({
  heartbeat: HeartbeatSchema.optional(),
  flush: oneOf(['at-once', 'first-update'], 'when the first octet leaves').optional(),
  replay: duration(
    (value) =>
      value === 'none' || value === 'all'
        ? undefined
        : typeof value === 'string' && /^[a-z]+$/i.test(value)
          ? `${quoted(value)} is not known here\nallowed: ${REPLAYS}`
          : durationProblem(value),
    `events kept for a client that resumes: ${REPLAYS}`,
    `^(?:none|all)$|${DURATION_PATTERN}`,
  ).optional(),
  lifetime: distribution('world', 'the agent closes each stream after so long').optional(),
  retryHint: wait('the SSE retry: it sends').optional(),
  buffer: count('events that may wait for a slow reader').optional(),
  closeOnInput: z
    .boolean()
    .meta({ description: 'whether a stream ends when the agent asks for input' })
    .optional(),
})

export const BlockingMap = z.strictObject({
  hold: positiveDuration('how long a send may be held').optional(),
})

export const TtlMap = z.strictObject({
  after: wait('when the task is deleted').optional(),
  from: oneOf(['creation', 'completion'], 'from where that counts').optional(),
})

export const QuotaMap = z.strictObject({
  rate: RateWord.meta({ description: 'requests it allows, such as 7/s' }).optional(),
  burst: count('how many may come at once').optional(),
  per: oneOf(['all', 'client', 'task'], 'whose requests are counted together').optional(),
  retryAfter: wait('the Retry-After of the 429').optional(),
})

/** `false` switches it off; `true` is the map without keys. */
const capability = <Map extends z.ZodObject>(map: Map, description: string) =>
  either('true, false or a map', [z.boolean(), map]).meta({ description })

/** The long form of `agent`. */
export const AgentMap = z.strictObject({
  binding: oneOf(['HTTP+JSON', 'JSONRPC'], 'how A2A is spoken').optional(),
  protocol: oneOf(['a2a', 'mcp-tasks'], 'which protocol is played').optional(),
  errorProfile: oneOf(['1.0.1', '1.0.0'], 'whose table of HTTP statuses errors follow').optional(),
  polling: PollingMap.meta({ description: 'what the agent does about polls' }).optional(),
  streaming: capability(StreamingMap, 'event streams: false, or how they are').optional(),
  push: capability(SendingMap, 'push notifications: false, or how they are sent').optional(),
  blocking: capability(BlockingMap, 'sends that wait for the end: false, or how long').optional(),
  ttl: either('a duration, or a map with after and from', [
    z.literal(0),
    word(durationProblem, DURATION_PATTERN),
    TtlMap,
  ])
    .meta({ description: 'when the task is deleted; who asks later is told that there is none' })
    .optional(),
  history: wholeNumber(0, 'expected how many messages: a whole number from 0 on')
    .meta({ description: 'messages returned with a task; all if not given' })
    .optional(),
  capacity: CapacityMap.meta({ description: 'what the agent can do at once' }).optional(),
  quota: either('a map with rate, burst, per and retryAfter, or a list of such maps', [
    QuotaMap,
    z.array(QuotaMap).min(1, { error: 'this list is empty: leave quota out' }),
  ])
    .meta({ description: 'a token bucket; above it 429' })
    .optional(),
})

type AgentInput = z.output<typeof AgentMap>

export function resolveAgent(input: AgentInput, around: Surroundings): AgentSettings {
  const { binding = 'HTTP+JSON', protocol = 'a2a', errorProfile = '1.0.1', ttl, history } = input
  return {
    binding,
    protocol,
    errorProfile,
    polling: resolvePolling(input.polling ?? {}, around.say),
    streaming: input.streaming !== false && resolveStreaming(mapOf(input.streaming), around),
    push: input.push !== false && { ...DEFAULT_SENDING, ...resolveSending(mapOf(input.push)) },
    blocking: input.blocking !== false && { holdUs: optionalUs(mapOf(input.blocking).hold) },
    ttl: ttl === undefined ? undefined : resolveTtl(ttl as z.output<typeof TtlMap>, around.say),
    history,
    quotas: resolveQuotas(input.quota, around.say),
    ...(input.capacity !== undefined && { capacity: resolveCapacity(input.capacity, around) }),
  }
}

/** `true` and what was not written are the map without keys. */
const mapOf = <Map extends object>(value: Map | boolean | undefined): Map =>
  typeof value === 'object' ? value : ({} as Map)

const optionalUs = (value: string | number | undefined): number | undefined =>
  value === undefined ? undefined : parseDuration(String(value))

function resolvePolling(input: z.output<typeof PollingMap>, say: Say): PollingSettings {
  const { answer = 'slow-down', add = 0 } = (input.tooSoon ?? {}) as z.output<typeof TooSoonMap>
  if (input.tooSoon !== undefined && input.minInterval === undefined) {
    say(['agent', 'polling', 'tooSoon'], 'too soon for what? add minInterval: 5s')
  }
  return {
    hints: resolveHints(input.hint, say),
    hintVia: input.hintVia ?? 'body',
    minIntervalUs: optionalUs(input.minInterval),
    tooSoon: { answer: answer === 'slow-down' ? 'slow-down' : 429, addUs: durationUs(add) },
    holdUs: optionalUs(input.hold) ?? 0,
    etag: input.etag ?? false,
  }
}

function resolveHints(input: z.output<typeof PollingMap>['hint'], say: Say): PollingSettings['hints'] {
  if (input === undefined) return []
  if (typeof input === 'string') return [{ fromUs: 0, hintUs: durationUs(input) }]
  let beforeUs = -1
  return input.map(({ from, hint }, index) => {
    const path = ['agent', 'polling', 'hint', index] as const
    const fromUs = durationUs(from ?? 0)
    if (hint === undefined) say(path, 'which hint? write { from: 1m, hint: 10s }')
    else if (fromUs <= beforeUs) say([...path, 'from'], `${from ?? 0} does not lie after the step above it`)
    beforeUs = Math.max(beforeUs, fromUs)
    return { fromUs, hintUs: durationUs(hint ?? 0) }
  })
}

function resolveStreaming(
  input: z.output<typeof StreamingMap>,
  { columnAt }: Surroundings,
): StreamingSettings {
  const { heartbeat, replay = 'none' } = input
  return {
    heartbeat: heartbeat === undefined ? 'none' : resolveHeartbeat(heartbeat as HeartbeatInput | 'none'),
    flush: input.flush ?? 'at-once',
    replayUs: replay === 'none' ? 0 : replay === 'all' ? Infinity : durationUs(replay),
    lifetime:
      input.lifetime === undefined
        ? undefined
        : resolveDistribution(input.lifetime, columnAt(['agent', 'streaming', 'lifetime'])),
    retryHintUs: optionalUs(input.retryHint),
    buffer: input.buffer,
    closeOnInput: input.closeOnInput ?? true,
  }
}

function resolveTtl({ after, from }: z.output<typeof TtlMap>, say: Say): AgentSettings['ttl'] {
  if (after === undefined) say(['agent', 'ttl'], 'deleted when? write ttl: { after: 30m }')
  return { afterUs: durationUs(after ?? 0), from: from ?? 'creation' }
}

function resolveQuotas(input: AgentInput['quota'], say: Say): Quota[] {
  const list = input === undefined ? [] : Array.isArray(input) ? input : [input]
  return list.map(({ rate, burst, per, retryAfter }, index) => {
    const path = Array.isArray(input) ? ['agent', 'quota', index] : ['agent', 'quota']
    if (rate === undefined) say(path, 'how many requests are allowed? write quota: { rate: 7/s }')
    return {
      perSecond: rate === undefined ? 0 : perSecondOf(rate),
      burst: burst ?? 1,
      per: per ?? 'all',
      retryAfterUs: optionalUs(retryAfter),
    }
  })
}
