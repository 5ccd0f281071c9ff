/** What the schema complains about, as problems of a person's file. */
import type * as z from 'zod'
import { didYouMean } from '../policies/nearest.ts'
import { FAMILY_NAMES } from './distribution.ts'
import { CUT_EXPRESSION, cutProblem, isCutExpression, looksCut } from './cut.ts'
import { KNOWN_KEYS } from './known-keys.ts'
import { laterKeys, laterProblem, placeName } from './later.ts'
import { entryOf, nodeAt, placeOf, plain, type Node, type Path } from './node.ts'
import { KIND_NAMES } from './policies/kinds.ts'
import { problemAt, type Problem } from './problem.ts'
import { isRootMismatch } from './schema-parts.ts'
import { kindOf, quoted } from './values.ts'

/** Problems of one section, with their places in the whole scenario. */
export function problemsOf(issues: readonly z.core.$ZodIssue[], base: Path, root: Node): Problem[] {
  return flatten(issues, base).flatMap(({ issue, path }) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => unknownKey(root, path, key))
      : [problemAt(placeOf(root, path), issue.message)],
  )
}

/** Issues with their whole paths. A union is told by the branch whose type fits what was written; there is at most one. */
export function flatten(
  issues: readonly z.core.$ZodIssue[],
  base: Path,
): { issue: z.core.$ZodIssue; path: Path }[] {
  return issues.flatMap((issue) => {
    const path = [...base, ...(issue.path as (string | number)[])]
    if (issue.code === 'invalid_union') {
      const meant = issue.errors.find((branch) => !branch.some(isRootMismatch))
      if (meant) return flatten(meant, path)
    }
    return [{ issue, path }]
  })
}

/** A key that is not known at a place, or not yet. */
export function unknownKey(root: Node, path: Path, key: string): Problem {
  const map = nodeAt(root, path)
  const entry = entryOf(map, key)
  const at = entry?.keyAt ?? placeOf(root, path)
  const place = placeName(path)
  const later = laterProblem(place, key)
  if (later !== undefined) return problemAt(at, later)
  if (looksCut(key)) return problemAt(at, cutProblem(key))
  if (place === 'fleet.trace' && isCutExpression(key)) return problemAt(at, CUT_EXPRESSION)
  const misplaced = ['mechanisms[]', 'mix[]'].includes(place) && map ? belongsInside(map, key) : undefined
  if (misplaced !== undefined) return problemAt(at, misplaced)
  const allowed = KNOWN_KEYS.get(place) ?? []
  if (FAMILY_NAMES.includes(key) && allowed.includes('up')) return problemAt(at, LATENCY_MAP)
  if (FAMILY_NAMES.includes(key) && allowed.includes('subscribe')) return problemAt(at, SERVICE_MAP)
  const similar = didYouMean(key, [...allowed, ...laterKeys(place)])
  const shown = /^[\w.-]+$/.test(key) ? key : quoted(key)
  const message =
    at.source.origin === '--set'
      ? `there is no ${[...(path[0] === 'mechanisms' ? placeName(path).split('.') : path), shown].join('.')}${similar}`
      : `unknown key ${shown}${similar}`
  return problemAt(at, allowed.length === 0 ? message : `${message}\nallowed: ${allowed.join(', ')}`)
}

/** A distribution as a map, where a map means something else. */
const LATENCY_MAP =
  'here a map has up and down: write the distribution as a text, such as lognormal:p50=18s,p95=60s'
const SERVICE_MAP =
  'here a map has operations: write the distribution as a text, such as lognormal:p50=5ms,p95=20ms'

/** `{ poll: 5s, first: after }`: the key is the policy's, not the entry's. */
function belongsInside(entry: Node, key: string): string | undefined {
  for (const kind of KIND_NAMES) {
    const policy = entryOf(entry, kind)?.node
    if (policy === undefined) continue
    if (!KNOWN_KEYS.get(kind)?.includes(key) && !laterKeys(kind).includes(key)) continue
    const given = plain(policy)
    const inside = {
      ...(typeof given === 'object' ? given : {}),
      [key]: plain(entryOf(entry, key)?.node as Node),
    }
    const keys = Object.entries(inside).map(
      ([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
    )
    return `${key} belongs inside: ${kind}: { ${keys.join(', ')} }`
  }
  return undefined
}

/** Sentences for what no part of the schema words by itself. */
export function sentenceOf(issue: z.core.$ZodRawIssue): string | undefined {
  const { input } = issue
  if (issue.code === 'too_small' && typeof input === 'number') {
    return `${input} is too small: write ${issue.inclusive === false ? 'more than ' : ''}${issue.minimum}${issue.inclusive === false ? '' : ' or more'}`
  }
  if (issue.code !== 'invalid_type') return undefined
  const wanted =
    { string: 'a text', object: 'a map', record: 'a map', array: 'a list', boolean: 'true or false' }[
      issue.expected as string
    ] ?? 'a number'
  const quotes = issue.expected === 'string' && ['number', 'boolean'].includes(typeof input)
  return `expected ${wanted}, got ${kindOf(input)}${quotes ? ': put it in quotes' : ''}`
}
