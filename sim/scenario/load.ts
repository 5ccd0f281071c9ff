/** A scenario file to a scenario. The only part of the simulator that reads the disk. */
import { createHash } from 'node:crypto'
import { readFileSync, readdirSync } from 'node:fs'
import { posix } from 'node:path'
import { nearestOf } from '../policies/nearest.ts'
import { createColumns } from './columns.ts'
import { givenEntries } from './expect.ts'
import type { Expectation } from './expectation.ts'
import { defaultMechanisms, longhand } from './longhand.ts'
import { inherited, merge } from './merge.ts'
import { entryOf, isNull, plain, type ListNode, type MapNode, type Node, scalar } from './node.ts'
import type { Place, Source } from './place.ts'
import { createLibrary, sourceOf, type PolicySource } from './policies/library.ts'
import { spellOut } from './policies/spell-out.ts'
import { ScenarioError, inOrder, problemAt, problemOfFile, type Problem } from './problem.ts'
import { resolve } from './resolve.ts'
import type { Scenario, SourceFile } from './scenario.ts'
import { applyGiven, applyOption, applySet, optionSource, replaceMechanisms } from './set.ts'
import { assumptionsOf, shownValues, type ShownValue } from './shown.ts'
import { kindOf } from './values.ts'
import { readYaml } from './yaml.ts'

/** What the command line says instead of the file, each as it was typed. */
export interface Overrides {
  /** `path=value`, applied in order. */
  set?: readonly string[]
  /** Policy words, or maps in braces; if there are any, they replace the scenario's mechanisms. */
  mechanisms?: readonly string[]
  /** Expressions, added to the scenario's thresholds. */
  thresholds?: readonly string[]
  seed?: number
  binding?: string
}

export interface LoadedScenario {
  scenario: Scenario
  /** Every value with where it came from, in the order of the file. */
  values: readonly ShownValue[]
  /** What is probably not meant, one sentence each. */
  warnings: readonly string[]
  /**
   * True if the file expects values and the overrides changed what they are
   * about; the scenario has no expectations then. Another seed changes nothing
   * they could be about.
   */
  expectationsSkipped: boolean
  /** What was left at its default and matters, one sentence each. */
  assumptions: readonly string[]
  /** What a study printed; compared, never a failure. */
  claims: readonly Expectation[]
  /** The scenario with other values, one for each entry of `expect` and `claims` that has `given`. */
  variants: readonly Variant[]
  /** The policies of the library that it uses, each once, in the order of the scenario. */
  policies: readonly PolicySource[]
}

/** A scenario with other values, of which something is expected or claimed. */
export interface Variant {
  /** Addresses and values, as written. */
  given: Readonly<Record<string, unknown>>
  scenario: Scenario
  expectations: readonly Expectation[]
  claims: readonly Expectation[]
}

/**
 * Reads a scenario file and the files it extends.
 *
 * @param file path relative to the working directory
 * @throws ScenarioError with every problem that was found
 */
export function loadScenario(file: string, overrides: Overrides = {}): LoadedScenario {
  const problems: Problem[] = []
  const path = posix.normalize(file.replaceAll('\\', '/'))
  return loaded(path, readChain(path, 'file', [path], problems), overrides, problems)
}

/**
 * Reads a scenario that stands in no file.
 *
 * @param name stands for the file's path, in messages and for what the scenario extends
 * @throws ScenarioError with every problem that was found
 */
export function readScenario(text: string, name: string, overrides: Overrides = {}): LoadedScenario {
  const problems: Problem[] = []
  const layers = layersOf(name, Buffer.from(text), 'file', [name], problems)
  return loaded(name, layers, overrides, problems)
}

function loaded(
  path: string,
  layers: Layers | undefined,
  overrides: Overrides,
  problems: Problem[],
): LoadedScenario {
  if (layers === undefined) throw new ScenarioError(inOrder(problems))

  const library = createLibrary([...new Set(layers.files.map((layer) => posix.dirname(layer.file)))])
  const written = applyOverrides(layers.root, overrides, problems)
  const spelled = spellOut(written, library)
  problems.push(...spelled.problems)
  const isOther =
    (overrides.set?.length ?? 0) > 0 ||
    (overrides.mechanisms?.length ?? 0) > 0 ||
    overrides.binding !== undefined
  const context = {
    fileName: nameOfFile(path),
    files: layers.files as unknown as Scenario['files'],
    columns: createColumns(path),
    library,
  }
  const resolved = resolve(spelled.root, { ...context, expecting: isOther ? 'none' : 'own' }, problems)
  const found = 'problems' in resolved ? [...resolved.problems] : []
  const variants = isOther
    ? []
    : givenEntries(written).flatMap((entry): Variant[] => {
        const { given } = entry
        if (given.of !== 'map') {
          found.push(problemAt(given.at, 'given is a map of addresses: write given: { job.duration: 30s }'))
          return []
        }
        const changed = applyGiven(written, given)
        const long = longhand(changed.root)
        const whole = spellOut(long.root, library)
        const known = [...problems, ...changed.problems, ...long.problems, ...whole.problems]
        const variant = resolve(whole.root, { ...context, expecting: entry }, known)
        if ('problems' in variant) {
          found.push(...variant.problems)
          return []
        }
        const { scenario, claims } = variant
        return [
          { given: plain(given) as Variant['given'], scenario, expectations: scenario.expectations, claims },
        ]
      })
  if ('problems' in resolved || found.length > 0) throw new ScenarioError(inOrder(found))
  const { scenario, claims, warnings } = resolved
  return {
    scenario,
    values: shownValues(spelled.root, scenario),
    warnings,
    expectationsSkipped:
      isOther && ['expect', 'claims'].some((section) => entryOf(written, section) !== undefined),
    assumptions: assumptionsOf(spelled.root, scenario),
    claims,
    variants,
    policies: spelled.used.map(sourceOf),
  }
}

interface Layers {
  root: MapNode
  /** The file itself first, then what it extends. */
  files: SourceFile[]
}

/** A file merged with what it extends; `undefined` if one of them cannot be read at all. */
function readChain(
  file: string,
  origin: 'file' | 'base',
  chain: readonly string[],
  problems: Problem[],
  referrer?: Place,
): Layers | undefined {
  const bytes = readBytes(file, problems, referrer)
  return bytes && layersOf(file, bytes, origin, chain, problems)
}

function layersOf(
  file: string,
  bytes: Buffer,
  origin: 'file' | 'base',
  chain: readonly string[],
  problems: Problem[],
): Layers | undefined {
  const text = decode(bytes)
  if (text === undefined) {
    problems.push(problemOfFile(file, `${file} is no text in UTF-8`))
    return undefined
  }
  const source: Source = { origin, name: file, text }
  const read = readYaml(source)
  if ('problems' in read) {
    problems.push(...read.problems)
    return undefined
  }
  if (read.node.of !== 'map') {
    problems.push(notAMap(read.node, text))
    return undefined
  }
  const { root, problems: found } = longhand(read.node)
  problems.push(...found)
  const files: SourceFile[] = [{ file, sha256: createHash('sha256').update(bytes).digest('hex') }]
  const base = baseOf(root, file, chain, problems)
  if (base === 'none') return { root: merge({ ...root, entries: new Map() }, root), files }
  if (base === undefined) return undefined
  return { root: merge(inherited(base.root), root), files: [...files, ...base.files] }
}

function baseOf(
  root: MapNode,
  file: string,
  chain: readonly string[],
  problems: Problem[],
): Layers | undefined | 'none' {
  const entry = entryOf(root, 'extends')
  if (entry === undefined || isNull(entry.node)) return 'none'
  const given = plain(entry.node)
  if (typeof given !== 'string' || given === '') {
    const message = `expected the path of one scenario file, relative to this one, such as base.yaml`
    problems.push(problemAt(entry.node.at, message))
    return 'none'
  }
  const target = posix.normalize(posix.join(posix.dirname(file), given))
  const base = posix.isAbsolute(given) ? posix.normalize(given) : target
  if (chain.includes(base)) {
    const circle = [...chain.slice(chain.indexOf(base)), base].join(' -> ')
    problems.push(problemAt(entry.node.at, `extends goes round in a circle: ${circle}`))
    return undefined
  }
  return readChain(base, 'base', [...chain, base], problems, entry.node.at)
}

function readBytes(file: string, problems: Problem[], referrer: Place | undefined): Buffer | undefined {
  try {
    return readFileSync(file)
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    const text =
      code === 'EISDIR'
        ? `${file} is a folder: name a file in it${listOf(scenariosIn(file).map((name) => posix.join(file, name)))}`
        : code === 'ENOENT' || code === 'ENOTDIR'
          ? missing(file, referrer !== undefined)
          : `${file} cannot be read: ${code === 'EACCES' ? 'permission denied' : (error as Error).message}`
    problems.push(referrer ? problemAt(referrer, text) : problemOfFile(file, text))
    return undefined
  }
}

/** Names are shown with their folder, as they would be typed. */
function missing(file: string, extended: boolean): string {
  const folder = posix.dirname(file)
  const names = scenariosIn(folder)
  const wanted = posix.basename(file)
  const name =
    names.find((known) => known.replace(/\.\w+$/, '') === wanted) ??
    nearestOf(wanted, names) ??
    nearestOf(wanted.replace(/\.\w+$/, ''), names)
  const near = name === undefined ? '' : `: did you mean ${posix.join(folder, name)}?`
  const hint = extended ? '\nextends is relative to the file it stands in' : ''
  return `there is no file ${file}${near}${hint}${listOf(names.map((known) => posix.join(folder, known)))}`
}

const listOf = (names: readonly string[]): string =>
  names.length === 0
    ? ''
    : `\nthere are: ${names.slice(0, 12).join(', ')}${names.length > 12 ? `, and ${names.length - 12} more` : ''}`

/** Names of the scenario files in a folder, in alphabetical order; none if there is no such folder. */
function scenariosIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => /\.(?:ya?ml|json)$/.test(name) && !name.endsWith('.schema.json'))
      .sort()
  } catch {
    return []
  }
}

function decode(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

function notAMap(node: Node, text: string): Problem {
  const shortest = 'the shortest scenario is one line: job: 20s'
  if (isNull(node)) {
    return problemOfFile(
      node.at.source.name,
      text.trim() === ''
        ? `${node.at.source.name} is empty: ${shortest}`
        : `${node.at.source.name} says nothing: ${shortest}`,
    )
  }
  return problemAt(node.at, `a scenario is a map of keys, this is ${kindOf(plain(node))}: ${shortest}`)
}

/** `seed-table` for `scenarios/seed-table.yaml`; other characters than a name may have become hyphens. */
const nameOfFile = (file: string): string =>
  posix
    .basename(file)
    .replace(/\.[^.]*$/, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '') || 'scenario'

function applyOverrides(root: MapNode, overrides: Overrides, problems: Problem[]): MapNode {
  let changed = withMechanisms(root, overrides.mechanisms ?? [], problems)
  for (const option of overrides.set ?? []) {
    const result = applySet(changed, option)
    // The value may be a short form, and the next address may lead into it.
    const written = longhand(result.root)
    problems.push(...result.problems, ...written.problems)
    changed = written.root
  }
  if (overrides.seed !== undefined) changed = applyOption(changed, '--seed', ['seed'], overrides.seed)
  if (overrides.binding !== undefined) {
    changed = applyOption(changed, '--binding', ['agent', 'binding'], overrides.binding)
  }
  return withThresholds(changed, overrides.thresholds ?? [])
}

function withMechanisms(root: MapNode, words: readonly string[], problems: Problem[]): MapNode {
  if (words.length > 0) {
    const result = replaceMechanisms(root, words)
    problems.push(...result.problems)
    return result.root
  }
  if (entryOf(root, 'mechanisms') !== undefined) return root
  const node = defaultMechanisms()
  return { ...root, entries: new Map(root.entries).set('mechanisms', { keyAt: node.at, node }) }
}

function withThresholds(root: MapNode, expressions: readonly string[]): MapNode {
  if (expressions.length === 0) return root
  const before = entryOf(root, 'thresholds')
  // What is no list is told by the schema.
  if (before !== undefined && before.node.of !== 'list') return root
  const given = expressions.map((expression) => {
    const source = optionSource('--threshold', expression)
    return scalar({ source, start: '--threshold '.length, end: source.text.length }, expression)
  })
  const at = (given[0] as Node).at
  const inFile = before?.node.of === 'list' ? before.node.items : []
  const node: ListNode = { of: 'list', at, items: [...inFile, ...given] }
  return { ...root, entries: new Map(root.entries).set('thresholds', { keyAt: before?.keyAt ?? at, node }) }
}
