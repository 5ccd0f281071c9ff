/** Policies in words for people. */
import { parseDuration, spellDuration } from '../../kernel/units.ts'
import type { Distribution } from '../../kernel/distribution.ts'
import type { Backoff, Waits } from '../../policies/backoff.ts'
import type { ClientLimits, Hop } from '../../policies/middlebox.ts'
import type { Heartbeat } from '../../policies/policy.ts'
import { MAIN_KEYS, type Argument } from './argument.ts'
import { jitterText } from './backoff.ts'
import { intervalText } from './wait.ts'

/** `7 s` · `20 min to 30 min` · `7/s`. */
export function intervalPhrase(interval: Distribution): string {
  if (interval.of === 'uniform') return `${spellDuration(interval.fromUs)} to ${spellDuration(interval.toUs)}`
  const text = intervalText(interval)
  return interval.of === 'fixed' && !text.includes('/') ? spellDuration(interval.us) : text
}

/** So many of a list are told one by one. */
const TOLD = 4

/** `3 s` · `1 s x 2 up to 30 s` · `5 s, 5 min, 30 min … 1 d (9 times)` · `1 s, 500 ms, then every 250 ms`. */
export function waitsPhrase(waits: Waits): string {
  switch (waits.of) {
    case 'interval':
      return intervalPhrase(waits.interval)
    case 'growing': {
      const { initialUs, multiplier, maxUs } = waits
      const cap = maxUs === undefined ? '' : ` up to ${spellDuration(maxUs)}`
      return `${spellDuration(initialUs)} x ${multiplier}${cap}`
    }
    case 'list':
      return waits.last === 'ends' ? listPhrase(waits.delaysUs) : repeatingPhrase(waits.delaysUs)
  }
}

function listPhrase(delaysUs: readonly number[]): string {
  const times = ` (${delaysUs.length} times)`
  const last = spellDuration(delaysUs.at(-1) as number)
  if (delaysUs.length > 1 && delaysUs.every((us) => us === delaysUs[0])) return last + times
  if (delaysUs.length <= TOLD) return delaysUs.map(spellDuration).join(', ')
  return `${delaysUs
    .slice(0, TOLD - 1)
    .map(spellDuration)
    .join(', ')} … ${last}${times}`
}

function repeatingPhrase(delaysUs: readonly number[]): string {
  const last = delaysUs.at(-1) as number
  const before = delaysUs.slice(0, delaysUs.findLastIndex((us) => us !== last) + 1).map(spellDuration)
  const told = before.length <= TOLD ? before : [...before.slice(0, TOLD - 1), '…']
  return [...told, `then every ${spellDuration(last)}`].join(', ')
}

/** `after 3 s, jitter full, 3 attempts`. */
export function backoffPhrase({
  waits,
  jitter,
  attempts,
  budgetUs,
  resetAfterUs,
  timeoutUs,
}: Backoff): string {
  const hasWaits = waits.of !== 'list' || waits.delaysUs.length > 0
  const isOnce = attempts === 1 || !hasWaits
  const parts = [
    ...(isOnce ? [] : [`after ${waitsPhrase(waits)}`]),
    ...(jitter.of === 'none' || isOnce ? [] : [`jitter ${jitterText(jitter)}`]),
    ...(attempts === undefined && hasWaits ? [] : [isOnce ? 'one attempt' : `${attempts} attempts`]),
    ...(budgetUs === undefined ? [] : [`for ${spellDuration(budgetUs)} at most`]),
    ...(resetAfterUs === undefined ? [] : [`anew after ${spellDuration(resetAfterUs)} of success`]),
    ...(timeoutUs === undefined ? [] : [`each up to ${spellDuration(timeoutUs)}`]),
  ]
  return parts.join(', ')
}

/** `hint interval`, `slowDown +5s`: what no sentence says. */
export function argumentPhrase({ path, text }: Argument): string {
  const key = path.length > 1 && MAIN_KEYS.includes(path.at(-1) as string) ? path.slice(0, -1) : path
  const us = parseDuration(text)
  return `${key.join('.')} ${us === undefined ? text : spellDuration(us)}`
}

/** `heartbeat every 15 s, 3 octets`; where nobody gave the size, that it is assumed. */
export function heartbeatPhrase(heartbeat: Heartbeat | 'none', size: 'given' | 'assumed'): string {
  if (heartbeat === 'none') return 'no heartbeat'
  const when = heartbeat.when === 'silent' ? ' without an event' : ''
  const octets =
    size === 'given' ? `${heartbeat.octets} octets` : `size not given: ${heartbeat.octets} octets are assumed`
  return `heartbeat every ${spellDuration(heartbeat.everyUs)}${when}, ${octets}`
}

/** `cuts after 60 s without an octet, 29 s in all` */
export function hopPhrase(hop: Hop): string {
  const limits = [
    ...limit(hop.idleUs, 'without an octet'),
    ...limit(hop.firstByteUs, 'without a first octet'),
    ...limit(hop.lifetimeUs, 'in all'),
  ]
  const how = { close: '', reset: ', with a reset', silent: ', and tells nobody' }[hop.cut]
  return [
    ...(limits.length === 0 ? [] : [`cuts after ${limits.join(', ')}${how}`]),
    ...(hop.connections === undefined ? [] : [`carries ${hop.connections} exchanges at once`]),
    ...(hop.bufferOctets === undefined
      ? []
      : [`keeps writes back until ${hop.bufferOctets} octets are together`]),
  ].join('; ')
}

/** `gives up after 5 s without an octet` */
export function limitsPhrase({ timeoutUs, firstByteUs, idleUs, connections }: ClientLimits): string {
  const limits = [
    ...limit(timeoutUs, 'in all'),
    ...limit(firstByteUs, 'without a first octet'),
    ...limit(idleUs, 'without an octet'),
  ]
  return [
    ...(limits.length === 0 ? [] : [`gives up after ${limits.join(', ')}`]),
    ...(connections === undefined ? [] : [`${connections} connections per origin`]),
  ].join('; ')
}

const limit = (us: number | undefined, what: string): string[] =>
  us === undefined ? [] : [`${spellDuration(us)} ${what}`]
