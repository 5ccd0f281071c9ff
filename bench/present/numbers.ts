import { spellDuration } from '../../sim/index.ts'

/** 77,964: whole numbers and decimals with separators for thousands, whatever the machine's language. */
export function withThousands(value: number): string {
  const [whole = '', decimals] = String(value).split('.')
  const grouped = whole.replaceAll(/\B(?=(\d{3})+$)/g, ',')
  return decimals === undefined ? grouped : `${grouped}.${decimals}`
}

/** `1 request`, `17 requests`. */
export const counted = (count: number, one: string): string =>
  `${withThousands(count)} ${count === 1 ? one : `${one}s`}`

/** `on time`, `6.55 s late`; from milliseconds with decimals down to the microsecond. */
export const lateness = (ms: number): string =>
  ms === 0 ? 'on time' : `${spellDuration(Math.round(ms * 1_000))} late`

/** `a, b and c`. */
export function listed(names: readonly string[]): string {
  const last = names.at(-1) ?? ''
  return names.length < 2 ? last : `${names.slice(0, -1).join(', ')} and ${last}`
}

/** A mean as people read it: whole from 1,000 on, else four digits. Whole numbers stay what they are. */
export const averaged = (value: number): number =>
  Number.isInteger(value) ? value : value >= 1_000 ? Math.round(value) : Number(value.toPrecision(4))
