/**
 * What the format has and this release has not, place by place. A key found
 * here is refused by its name; it is never ignored and never called unknown.
 */
import { notYet } from './values.ts'

/** For each key what to do instead, or what will come. */
type Later = Readonly<Record<string, string>>

const PLAIN_HTTP = 'HTTP/1.1 without TLS and TCP is counted'

const of = (instead: string, ...keys: string[]): Later =>
  Object.fromEntries(keys.map((key) => [key, instead]))

/** Places are paths with `[]` for an entry of a list; a mechanism inside another has the place of its kind. */
const LATER: Readonly<Record<string, { name: string; keys: Later }>> = {
  '': {
    name: '',
    keys: {
      prices: 'octets and requests are counted, money is not',
      objective: 'compare mechanisms by hand, and hold them to thresholds',
      vary: 'use --set for one value at a time, or expect with given',
    },
  },
  agent: {
    name: 'agent.',
    keys: {
      defects: 'the agent is correct; hops and faults are not',
    },
  },
  wire: { name: 'wire.', keys: of(PLAIN_HTTP, 'http', 'tls', 'tcp') },
}

/** The sentence for a key of the format that this release lacks, `undefined` if it is no such key. */
export function laterProblem(place: string, key: string): string | undefined {
  const found = LATER[place]
  const instead = found && Object.hasOwn(found.keys, key) ? found.keys[key] : undefined
  if (found === undefined || instead === undefined) return undefined
  return notYet(`${found.name}${key}`, instead)
}

/** Keys of the format that this release lacks at a place. */
export const laterKeys = (place: string): string[] => Object.keys(LATER[place]?.keys ?? {})

/** Every place with such keys, for the tests and the documentation. */
export const LATER_PLACES: readonly string[] = Object.keys(LATER)

/** The name of a place in messages and on this page: `mechanisms[].poll` is `poll`, wherever that stands. */
export const placeName = (path: readonly (string | number)[]): string =>
  path
    .map((step) => (/^\d+$/.test(String(step)) ? '[]' : String(step)))
    .join('.')
    .replaceAll('.[]', '[]')
    .replace(/^mechanisms\[\]\.(?:mix\[\]\.)?(?:[a-z]+\.(?:else|with)\.)*/, '')
