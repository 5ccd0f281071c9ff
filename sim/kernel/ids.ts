/** Identifiers that look like those of real agents and are the same in every run with the same seed. */
import type { Clock } from './clock.ts'
import type { RandomStream } from './random.ts'

/** Crockford's base 32: no I, L, O or U, which people misread. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

const TIME_LENGTH = 10
const RANDOM_LENGTH = 16
/** How many characters of five bits one draw of 32 bits gives. */
const CHARACTERS_PER_DRAW = 6

/**
 * Gives a new identifier in the form of a ULID at each call: 26 characters, ten
 * for the wall-clock millisecond and 16 of chance. All have the same length, so
 * messages do not change size with the seed.
 */
export function idSource(random: RandomStream, clock: Pick<Clock, 'nowUs' | 'dateOf'>): () => string {
  return () => timePart(clock.dateOf(clock.nowUs()).getTime()) + randomText(random, RANDOM_LENGTH)
}

function timePart(ms: number): string {
  let text = ''
  let rest = ms
  for (let i = 0; i < TIME_LENGTH; i++) {
    text = ALPHABET.charAt(rest % 32) + text
    rest = Math.floor(rest / 32)
  }
  return text
}

/** `length` characters of chance, five bits each, in Crockford's base 32. */
export function randomText(random: RandomStream, length: number): string {
  let text = ''
  let bits = 0
  for (let i = 0; i < length; i++) {
    bits = i % CHARACTERS_PER_DRAW === 0 ? random.nextUint32() : bits >>> 5
    text += ALPHABET.charAt(bits & 31)
  }
  return text
}
