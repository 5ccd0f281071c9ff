/** Policies as the arguments of their words: what differs from a default, written so that it is read back. */
import type { Backoff, Waits } from '../../policies/backoff.ts'
import type { AfterError, Step } from '../../policies/policy.ts'
import { delaysText, jitterText } from './backoff.ts'
import { intervalText, timeText } from './wait.ts'

/** A value of a policy: where it stands in the map, and how a word writes it. */
export interface Argument {
  /** `['reconnect', 'jitter']`. */
  path: readonly string[]
  text: string
}

/** The keys that together say how to wait: one of them new, and all are written. */
const WAY_KEYS = ['interval', 'initial', 'multiplier', 'max', 'delays']
/** Of those, the ones that make a way of waiting a new one. */
const NEW_WAY = ['interval', 'initial', 'delays']
/** What a key stands for that is written without one of its own: `reconnect=3s`. */
export const MAIN_KEYS = ['interval', 'delays', 'every', 'hold']

/** An argument, or none for what is not there. */
export const argument = (path: string, text: string | number | boolean | undefined): Argument[] =>
  text === undefined ? [] : [{ path: path.split('.'), text: String(text) }]

export const durationArgument = (path: string, us: number | undefined): Argument[] =>
  argument(path, us === undefined ? undefined : timeText(us))

export const factorText = (factor: number): string => `x${factor}`

export function stepText(step: Step): string {
  switch (step.of) {
    case 'times':
      return factorText(step.factor)
    case 'plus':
      return `${step.us < 0 ? '-' : '+'}${timeText(Math.abs(step.us))}`
    case 'set':
      return timeText(step.us)
    case 'reset':
      return 'reset'
  }
}

/** `prefix` ends in a dot, or is empty. */
export function waitsArguments(prefix: string, waits: Waits): Argument[] {
  switch (waits.of) {
    case 'interval':
      return argument(`${prefix}interval`, intervalText(waits.interval))
    case 'list':
      return waits.delaysUs.length === 0 ? [] : argument(`${prefix}delays`, delaysText(waits.delaysUs))
    case 'growing':
      return [
        ...durationArgument(`${prefix}initial`, waits.initialUs),
        ...argument(`${prefix}multiplier`, waits.multiplier),
        ...durationArgument(`${prefix}max`, waits.maxUs),
      ]
  }
}

/** A backoff under its key; one that makes a single attempt is `none`. */
export function backoffArguments(key: string, backoff: Backoff | undefined): Argument[] {
  if (backoff === undefined) return []
  const { waits, jitter, attempts, budgetUs, resetAfterUs, timeoutUs } = backoff
  const rest = [
    ...(jitter.of === 'none' ? [] : argument(`${key}.jitter`, jitterText(jitter))),
    ...argument(`${key}.attempts`, attempts),
    ...durationArgument(`${key}.budget`, budgetUs),
    ...durationArgument(`${key}.resetAfter`, resetAfterUs),
    ...durationArgument(`${key}.timeout`, timeoutUs),
  ]
  const way = waitsArguments(`${key}.`, waits)
  const isNone = way.length === 0 && attempts === 1 && rest.length === 1
  return isNone ? argument(key, 'none') : [...way, ...rest]
}

export const afterErrorArguments = (key: string, after: AfterError): Argument[] =>
  typeof after === 'string' ? argument(key, after) : backoffArguments(key, after)

const keyOf = ({ path }: Argument): string => path.join('.')
const groupOf = ({ path }: Argument): string => path.slice(0, -1).join('.')
const lastOf = ({ path }: Argument): string => path.at(-1) as string

/**
 * The arguments in which a policy differs from another, which stands for what
 * is not written. A new way of waiting replaces the old one whole, so it is
 * written whole.
 */
export function differing(policy: readonly Argument[], from: readonly Argument[]): Argument[] {
  const differs = (argument: Argument) =>
    from.find((other) => keyOf(other) === keyOf(argument))?.text !== argument.text
  const renewed = new Set(policy.filter((it) => NEW_WAY.includes(lastOf(it)) && differs(it)).map(groupOf))
  return policy.filter((it) => differs(it) || (renewed.has(groupOf(it)) && WAY_KEYS.includes(lastOf(it))))
}

/**
 * `poll:7s,first=after`: of all arguments of a policy those in `shown`, and the
 * library policies it names, by the path they stand at ('' for the policy
 * itself). What stands under such a name keeps its whole key.
 */
export function wordText(
  kind: string,
  all: readonly Argument[],
  shown: readonly Argument[],
  names: ReadonlyMap<string, string>,
): string {
  const nameOf = (path: string) => `${path === '' ? '' : `${path}=`}@${names.get(path)}`
  const told = new Set(names.has('') ? [''] : [])
  const texts = [...told].map(nameOf)
  for (const argument of all) {
    const path = [...names.keys()].find((name) => keyOf(argument) === name || groupOf(argument) === name)
    if (path !== undefined && !told.has(path)) {
      told.add(path)
      texts.push(nameOf(path))
    }
    if (!shown.includes(argument)) continue
    const isMain = MAIN_KEYS.includes(lastOf(argument)) && !names.has(groupOf(argument))
    const key = isMain ? groupOf(argument) : keyOf(argument)
    texts.push(key === '' ? argument.text : `${key}=${argument.text}`)
  }
  return texts.length === 0 ? kind : `${kind}:${texts.join(',')}`
}
