/** The `expect` section: which row is meant, and what is expected of it. */
import { nearestOf } from '../policies/nearest.ts'
import { wordOf } from '../policies/word.ts'
import { parseExpected, type Expectation } from './expectation.ts'
import { unknownKey } from './issues.ts'
import { cutProblem, looksCut } from './later.ts'
import { mechanismOf } from './longhand.ts'
import { policyOf } from './mechanisms.ts'
import { entryOf, isNull, plain, scalar, type MapNode, type Node, type Path } from './node.ts'
import { lineAndColumn, type Place } from './place.ts'
import { problemAt, type Problem } from './problem.ts'
import type { MechanismEntry } from './scenario.ts'
import { MechanismMap } from './schema.ts'
import { kindOf } from './values.ts'

/**
 * Reads the section. Without mechanisms (they are wrong, or others were asked
 * for) the values are checked, but not whether there are such rows.
 */
export function readExpectations(
  root: MapNode,
  mechanisms: readonly MechanismEntry[] | undefined,
): { expectations: Expectation[]; problems: Problem[] } {
  const expectations: Expectation[] = []
  const problems: Problem[] = []
  for (const rows of rowMaps(root, problems)) {
    for (const [row, { keyAt, node }] of rows.entries) {
      if (looksCut(row)) {
        problems.push(problemAt(keyAt, cutProblem(row)))
        continue
      }
      if (isNull(node) && isFollowedByCut(rows, row)) continue
      const mechanism = mechanisms && mechanismOfRow(row, mechanisms, keyAt)
      if (mechanisms && mechanism === undefined) {
        problems.push(problemAt(keyAt, noSuchRow(row, mechanisms)))
      }
      if (node.of !== 'map') {
        const message = `expected what comes out of ${row}, such as { requests: 17 }, got ${kindOf(plain(node))}`
        problems.push(problemAt(node.at.start === node.at.end ? keyAt : node.at, message))
        continue
      }
      for (const [metric, entry] of node.entries) {
        const read = parseExpected(metric, plain(entry.node))
        if ('problem' in read) {
          problems.push(problemAt(read.of === 'metric' ? entry.keyAt : entry.node.at, read.problem))
        } else if (mechanism !== undefined) {
          const file = entry.keyAt.source.name
          expectations.push({ row, mechanism, ...read, file, ...lineAndColumn(entry.keyAt) })
        }
      }
    }
  }
  return { expectations, problems }
}

function rowMaps(root: MapNode, problems: Problem[]): MapNode[] {
  const entry = entryOf(root, 'expect')
  if (entry === undefined || isNull(entry.node)) return []
  if (entry.node.of === 'map') return [entry.node]
  const wrong = (node: Node, path: Path) => {
    const message = `expected a map of rows, got ${kindOf(plain(node))}`
    problems.push(problemAt(path.length > 0 ? node.at : entry.keyAt, message))
    return []
  }
  if (entry.node.of === 'scalar') return wrong(entry.node, ['expect'])
  return entry.node.items.flatMap((item, index) => {
    if (item.of !== 'map') return wrong(item, ['expect', index])
    const others = [...item.entries.keys()].filter((key) => key !== 'rows')
    problems.push(...others.map((key) => unknownKey(root, ['expect', index], key)))
    const rows = entryOf(item, 'rows')?.node
    if (rows?.of === 'map') return [rows]
    if (rows !== undefined) return wrong(rows, ['expect', index])
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
function mechanismOfRow(row: string, mechanisms: readonly MechanismEntry[], at: Place): number | undefined {
  const labelled = mechanisms.findIndex(({ label }) => label === row)
  if (labelled >= 0) return labelled
  const read = mechanismOf(scalar(at, row), [])
  const checked = read.of === 'map' ? MechanismMap.safeParse(plain(read)) : undefined
  if (!checked?.success) return undefined
  const word = wordOf(policyOf(checked.data))
  const index = mechanisms.findIndex((entry) => entry.label === undefined && entry.word === word)
  return index >= 0 ? index : undefined
}

function noSuchRow(row: string, mechanisms: readonly MechanismEntry[]): string {
  const names = mechanisms.map(({ label, word }) => label ?? word)
  const near = nearestOf(row, names)
  return `no mechanism gives a row "${row}"${near === undefined ? '' : `: did you mean ${near}?`}\nrows: ${names.join(', ')}`
}
