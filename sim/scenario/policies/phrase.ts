/** Policies in words for people. */
import { parseDuration, spellDuration } from '../../kernel/units.ts'
import type { Distribution } from '../../kernel/distribution.ts'
import type { Backoff, Waits } from '../../policies/backoff.ts'
import type { Argument } from './argument.ts'
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

/** `3 s` · `1 s x 2 up to 30 s` · `5 s, 5 min, 30 min … 24 h (9 times)`. */
export function waitsPhrase(waits: Waits): string {
  switch (waits.of) {
    case 'interval':
      return intervalPhrase(waits.interval)
    case 'growing': {
      const { initialUs, multiplier, maxUs } = waits
      const cap = maxUs === undefined ? '' : ` up to ${spellDuration(maxUs)}`
      return `${spellDuration(initialUs)} x ${multiplier}${cap}`
    }
    case 'list': {
      const { delaysUs } = waits
      if (delaysUs.length <= TOLD) return delaysUs.map(spellDuration).join(', ')
      const first = delaysUs.slice(0, TOLD - 1).map(spellDuration)
      return `${first.join(', ')} … ${spellDuration(delaysUs.at(-1) as number)} (${delaysUs.length} times)`
    }
  }
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

/** `hint interval`, `slowDown +5 s`: what no sentence says. */
export const argumentPhrase = ({ path, text }: Argument): string =>
  `${path.join('.')} ${parseDuration(text) === undefined ? text : spellDuration(parseDuration(text) as number)}`
