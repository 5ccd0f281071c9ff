/** What messages and chunks say. */
import type { Path } from './node.ts'
import type { Content } from './scenario.ts'
import type { Say } from './surroundings.ts'
import { octetsOf } from './values.ts'

const CONTENT_KEYS = ['text', 'octets', 'data'] as const

/** What a message or chunk says; `undefined` where it is left to the agent. */
export function contentOf(value: unknown, path: Path, say: Say): Content | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const given = CONTENT_KEYS.filter((key) => Object.hasOwn(value, key))
  const [first, second] = given
  if (first === undefined) return undefined
  if (second !== undefined) {
    say([...path, second], `${given.join(' and ')} exclude each other: the content once`, true)
  }
  const { text, octets, data } = value as { text?: string; octets?: string | number; data?: unknown }
  switch (first) {
    case 'text':
      return { text: text as string }
    case 'octets':
      return { octets: octetsOf(octets) as number }
    case 'data':
      return { data }
  }
}

/** A content in so many chunks, as equal as they can be. Without a content the agent's own words come in one. */
export function chunksOf(
  content: Content | undefined,
  chunks: number,
  path: Path,
  say: Say,
): (Content | undefined)[] {
  if (chunks === 1) return [content]
  if (content === undefined || 'data' in content) {
    say([...path, 'chunks'], 'only text and octets come in chunks: write text, or octets', true)
    return []
  }
  const letters = 'text' in content ? Array.from(content.text) : []
  const length = 'text' in content ? letters.length : content.octets
  if (length < chunks) {
    say(
      [...path, 'chunks'],
      `${chunks} chunks of ${length === 1 ? 'one octet' : `${length} octets`}: each needs one`,
    )
    return []
  }
  const bound = (index: number) => Math.round((index * length) / chunks)
  return Array.from({ length: chunks }, (_, index) =>
    'text' in content
      ? { text: letters.slice(bound(index), bound(index + 1)).join('') }
      : { octets: bound(index + 1) - bound(index) },
  )
}
