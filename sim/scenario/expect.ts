/** The sections `expect` and `claims`: which row is meant, and what should come out of it. */
import { nearestOf } from '../policies/nearest.ts'
import { parseExpected, type Expectation } from './expectation.ts'
import { unknownKey } from './issues.ts'
import { cutProblem, looksCut } from './cut.ts'
import { entryOf, isNull, plain, scalar, type Entry, type MapNode, type Node, type Path } from './node.ts'
import type { Subject } from './metric.ts'
import { lineAndColumn, type Place } from './place.ts'
import { problemAt, type Problem } from './problem.ts'
import type { MechanismEntry } from './scenario.ts'
import { kindOf } from './values.ts'

/** The canonical word of a row that is named by its policy. */
type WordOf = (row: Node) => string | undefined

export type ExpectSection = 'expect' | 'claims'

/**
 * Reads the rows of a section that are about the file as it is, or those of its
 * entry number `given`, whose values the scenario has. Without mechanisms (they
 * are wrong, or others were asked for) the values are checked, but not whether
 * there are such rows.
 */
export function readExpectations(
  root: MapNode,
  section: ExpectSection,
  given: number | undefined,
  mechanisms: readonly MechanismEntry[] | undefined,
  wordOf: WordOf,
  subject: Subject,
): { expectations: Expectation[]; problems: Problem[] } {
  const expectations: Expectation[] = []
  const problems: Problem[] = []
  for (const rows of rowMaps(root, section, given, problems)) {
    for (const [row, { keyAt, node }] of rows.entries) {
      if (looksCut(row)) {
        problems.push(problemAt(keyAt, cutProblem(row)))
        continue
      }
      if (isNull(node) && isFollowedByCut(rows, row)) continue
      const mechanism = mechanisms && mechanismOfRow(row, mechanisms, keyAt, wordOf)
      if (mechanisms && mechanism === undefined) {
        problems.push(problemAt(keyAt, noSuchRow(row, mechanisms)))
      }
      if (node.of !== 'map') {
        const message = `expected what comes out of ${row}, such as { requests: 17 }, got ${kindOf(plain(node))}`
        problems.push(problemAt(node.at.start === node.at.end ? keyAt : node.at, message))
        continue
      }
      for (const [metric, entry] of node.entries) {
        const read = parseExpected(metric, plain(entry.node), subject)
        if ('problem' in read) {
          problems.push(problemAt(placeOfProblem(read, entry), read.problem))
        } else if (mechanism !== undefined) {
          const file = entry.keyAt.source.name
          expectations.push({ row, mechanism, ...read, file, ...lineAndColumn(entry.keyAt) })
        }
      }
    }
  }
  return { expectations, problems }
}

/** Where an expectation goes wrong: its metric, its value, or an entry of the list that is its value. */
function placeOfProblem(wrong: { of: 'metric' | 'value'; entry?: number }, { keyAt, node }: Entry): Place {
  if (wrong.of === 'metric') return keyAt
  const part = node.of === 'list' && wrong.entry !== undefined ? node.items[wrong.entry] : undefined
  const { at } = part ?? node
  return at.start === at.end ? keyAt : at
}

/** An entry of a section that is about other values than those of the file. */
export interface GivenEntry {
  section: ExpectSection
  index: number
  given: Node
}

/** Every entry with `given`, in the order of the file. */
export const givenEntries = (root: MapNode): GivenEntry[] =>
  (['expect', 'claims'] as const).flatMap((section) => {
    const list = entryOf(root, section)?.node
    if (list?.of !== 'list') return []
    return list.items.flatMap((item, index): GivenEntry[] => {
      const given = entryOf(item, 'given')
      return given === undefined || isNull(given.node) ? [] : [{ section, index, given: given.node }]
    })
  })

function rowMaps(
  root: MapNode,
  section: ExpectSection,
  given: number | undefined,
  problems: Problem[],
): MapNode[] {
  const entry = entryOf(root, section)
  if (entry === undefined || isNull(entry.node)) return []
  if (entry.node.of === 'map') return given === undefined ? [entry.node] : []
  const wrong = (node: Node, path: Path) => {
    const message = `expected a map of rows, got ${kindOf(plain(node))}`
    problems.push(problemAt(path.length > 0 ? node.at : entry.keyAt, message))
    return []
  }
  if (entry.node.of === 'scalar') return wrong(entry.node, [section])
  return entry.node.items.flatMap((item, index) => {
    if (item.of !== 'map') return wrong(item, [section, index])
    const own = entryOf(item, 'given')
    const hasGiven = own !== undefined && !isNull(own.node)
    const others = [...item.entries.keys()].filter((key) => key !== 'rows' && key !== 'given')
    problems.push(...others.map((key) => unknownKey(root, [section, index], key)))
    const rows = entryOf(item, 'rows')?.node
    if (rows?.of === 'map') return (hasGiven ? index === given : given === undefined) ? [rows] : []
    if (rows !== undefined) return wrong(rows, [section, index])
    if (others.length === 0)
      problems.push(problemAt(item.at, 'which rows? write rows: { poll:7s: { requests: 17 } }'))
    return []
  })
}

/** YAML cut `poll:1h,first=after: {…}` into a key without a value and another key. */
function isFollowedByCut(rows: MapNode, row: string): boolean {
  const keys = [...rows.entries.keys()]
  const next = keys[keys.indexOf(row) + 1]
  return next !== undefined && looksCut(next)
}

/** A row is named by its label, or by its policy however that is written. */
function mechanismOfRow(
  row: string,
  mechanisms: readonly MechanismEntry[],
  at: Place,
  wordOf: WordOf,
): number | undefined {
  const labelled = mechanisms.findIndex(({ label }) => label === row)
  if (labelled >= 0) return labelled
  const word = wordOf(scalar(at, row))
  const index = mechanisms.findIndex(
    (entry) => entry.label === undefined && (entry.word === word || entry.word === row),
  )
  return index >= 0 ? index : undefined
}

function noSuchRow(row: string, mechanisms: readonly MechanismEntry[]): string {
  const names = mechanisms.map(({ label, word }) => label ?? word)
  const near = nearestOf(row, names)
  return `no mechanism gives a row "${row}"${near === undefined ? '' : `: did you mean ${near}?`}\nrows: ${names.join(', ')}`
}
