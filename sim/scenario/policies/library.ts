/** The policy library: what real software does, as entries of YAML files, each with its source. */
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { dirname, join, posix, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as z from 'zod'
import { nearestOf } from '../../policies/nearest.ts'
import { flatten, sentenceOf } from '../issues.ts'
import { entryOf, mapNode, placeOf, plain, type MapNode, type Node } from '../node.ts'
import { lineAndColumn, type Place, type Source } from '../place.ts'
import { problemAt, problemOfFile, type Problem } from '../problem.ts'
import { readYaml } from '../yaml.ts'
import { BackoffMap } from './backoff.ts'
import { HeartbeatMap } from './heartbeat.ts'
import { ClientLimitsMap, HopMap } from './hop.ts'
import { longMapOf } from './kinds.ts'
import { LIBRARY_KINDS, type LibraryKind } from './library-kind.ts'
import { mechanismOf } from './longhand.ts'
import { backoffSlot, heartbeatSlot, hopSlot, clientSlot, writtenOut, type Slot } from './slot.ts'

/** What a report says of a policy it used. */
export interface PolicySource {
  id: string
  /** `scenario`: a fact of the world rather than a policy; `undetermined`: known, but nobody says how it behaves. */
  kind: LibraryKind | 'scenario' | 'undetermined'
  /** For people: `botocore, EC2 InstanceRunning`. */
  name: string | undefined
  source: string | undefined
  /** When that was so: `2026-08-07`, `2026-11`. */
  asOf: string | undefined
  /** A read in the source at a pinned commit, B official documentation, C issue or third party, U unverified. */
  confidence: string | undefined
}

/** What a report says of an entry. */
export const sourceOf = ({ id, kind, name, source, asOf, confidence }: LibraryEntry): PolicySource => ({
  id,
  kind,
  name,
  source,
  asOf,
  confidence,
})

export interface LibraryEntry extends PolicySource {
  /** As the file writes it: the policy, the keys of a scenario it stands for, or what is not known. */
  written: unknown
  /** The policy in long form; `undefined` for what is none. */
  node: MapNode | undefined
  /** What people should know before they use it: where it says less than its source, or does something else than others of its name. */
  note: string | undefined
  /** Of the id. */
  at: Place
}

export interface Library {
  /** The policy of a name where one of `kind` is wanted, or why there is none. */
  find(kind: LibraryKind, id: string): { entry: LibraryEntry & { node: MapNode } } | { problem: string }
  /** All entries, in the order of the files. */
  all(): readonly LibraryEntry[]
  /** What is wrong with the files read so far. */
  problems(): readonly Problem[]
}

const KINDS_OF_ENTRIES = Object.keys(LIBRARY_KINDS) as LibraryKind[]

const pedigreeKeys = {
  source: z.string().optional(),
  asOf: z.union([z.string(), z.number()]).optional(),
  confidence: z.enum(['A', 'B', 'C', 'U'], { error: 'confidence is A, B, C or U' }).optional(),
}

const EntryMap = z
  .strictObject({
    id: z.string().regex(/^[A-Za-z0-9][\w./-]*$/, {
      error: 'an id is letters, digits, dots, hyphens and slashes, such as our-client',
    }),
    name: z.string().optional(),
    note: z.string().optional(),
    ...pedigreeKeys,
    scenario: z.record(z.string(), z.unknown()).optional(),
    undetermined: z.string().optional(),
    ...(Object.fromEntries(KINDS_OF_ENTRIES.map((kind) => [kind, z.unknown().optional()])) as Record<
      LibraryKind,
      z.ZodOptional<z.ZodUnknown>
    >),
  })
  .check(({ value, issues }) => {
    const whats = [...KINDS_OF_ENTRIES, 'scenario', 'undetermined'] as const
    const given = whats.filter((key) => Object.hasOwn(value, key))
    if (given.length === 1) return
    const message =
      given.length === 0
        ? `what is it? exactly one of ${whats.join(', ')}`
        : `one policy an entry: ${given.join(' and ')} are ${given.length}`
    issues.push({ code: 'custom', input: value, message })
  })

const FileMap = z.strictObject({
  defaults: z.strictObject(pedigreeKeys).optional(),
  policies: z.array(EntryMap, { error: 'policies is a list of entries' }),
})

/** How the policy of an entry is written out, and what may stand in it. */
function formOf(kind: LibraryKind): { slot: Slot | undefined; schema: z.ZodType } {
  switch (kind) {
    case 'poll':
    case 'blocking':
      return { slot: undefined, schema: longMapOf(kind) }
    case 'reconnect':
    case 'retry':
      return { slot: backoffSlot(), schema: BackoffMap }
    case 'heartbeat':
      return { slot: heartbeatSlot, schema: HeartbeatMap }
    case 'hop':
      return { slot: hopSlot, schema: HopMap }
    case 'client':
      return { slot: clientSlot, schema: ClientLimitsMap }
  }
}

interface ReadFile {
  entries: LibraryEntry[]
  problems: Problem[]
}

/** By text and id. Texts do not change what they say: what was read once need not be read for the next scenario. */
const known = new Map<string, Map<string, ReadFile>>()

function once(source: Source, id: string, read: (source: Source) => ReadFile): ReadFile {
  const key = `${source.name}\n${source.text}`
  const ofText = known.get(key) ?? new Map<string, ReadFile>()
  known.set(key, ofText)
  const file = ofText.get(id) ?? read(source)
  ofText.set(id, file)
  return file
}

/** All entries of a file. */
function allEntries(source: Source): ReadFile {
  const read = readYaml(source)
  return 'problems' in read ? { entries: [], problems: read.problems } : entriesIn(read.node)
}

/** Where an entry of a file as we write them begins. */
const ENTRY = /^ {2}- (?:\{ )?id: ["']?([^\s,}"']+)/gm

/**
 * The entries of one id. Most of a library is not asked for: where entries
 * stand is seen from their first lines, and only what is wanted is read as YAML.
 */
function entriesOfId(source: Source, id: string): ReadFile {
  const starts = [...source.text.matchAll(ENTRY)]
  const everyEntry = [...source.text.matchAll(/^ {2}- /gm)]
  const [first] = starts
  if (first === undefined || starts.length !== everyEntry.length) return allEntries(source)
  if (!starts.some((start) => start[1] === id)) return { entries: [], problems: [] }
  const head = readYaml(source, 0, first.index)
  if ('problems' in head || head.node.of !== 'map') return allEntries(source)
  const items: Node[] = []
  for (const [index, start] of starts.entries()) {
    if (start[1] !== id) continue
    const read = readYaml(source, start.index, starts[index + 1]?.index)
    if ('problems' in read || read.node.of !== 'list') return allEntries(source)
    items.push(...read.node.items)
  }
  const policies = entryOf(head.node, 'policies')
  if (policies === undefined) return allEntries(source)
  const list: Node = { of: 'list', at: policies.node.at, items }
  const entries = new Map(head.node.entries).set('policies', { ...policies, node: list })
  return entriesIn({ ...head.node, entries })
}

function entriesIn(root: Node): ReadFile {
  const checked = FileMap.safeParse(plain(root), { error: sentenceOf })
  if (!checked.success) {
    const problems = flatten(checked.error.issues, []).flatMap(({ issue, path }) =>
      issue.code === 'unrecognized_keys'
        ? issue.keys.map((key) => problemAt(placeOf(root, [...path, key], true), `unknown key ${key}`))
        : [problemAt(placeOf(root, path), issue.message)],
    )
    return { entries: [], problems }
  }
  const { defaults, policies } = checked.data
  const list = entryOf(root, 'policies')?.node
  const items = list?.of === 'list' ? list.items : []
  const problems: Problem[] = []
  const entries = policies.map((given, index): LibraryEntry => {
    const item = items[index] as Node
    const kind = KINDS_OF_ENTRIES.find((known) => Object.hasOwn(given, known))
    const { id, name, note, source: from, asOf, confidence } = { ...defaults, ...given }
    return {
      id,
      kind: kind ?? (given.scenario === undefined ? 'undetermined' : 'scenario'),
      name,
      source: from,
      asOf: asOf === undefined ? undefined : String(asOf),
      confidence,
      written: kind === undefined ? (given.scenario ?? given.undetermined) : given[kind],
      node: kind && longNode(kind, entryOf(item, kind)?.node as Node, problems),
      note,
      at: entryOf(item, 'id')?.node.at ?? item.at,
    }
  })
  return { entries, problems }
}

/** The policy of an entry in long form; what is wrong with it is told. */
function longNode(kind: LibraryKind, node: Node, problems: Problem[]): MapNode | undefined {
  const { slot, schema } = formOf(kind)
  const long =
    slot === undefined
      ? entryOf(mechanismOf(mapNode(node.at, [[kind, { keyAt: node.at, node }]]), problems), kind)?.node
      : writtenOut(node, slot)
  if (long?.of !== 'map') {
    problems.push(problemAt(node.at, `expected ${LIBRARY_KINDS[kind]}, such as a map of its keys`))
    return undefined
  }
  const checked = schema.safeParse(plain(long), { error: sentenceOf })
  if (checked.success) return long
  for (const { issue, path } of flatten(checked.error.issues, [])) {
    const message =
      issue.code === 'unrecognized_keys' ? `unknown key ${issue.keys.join(', ')}` : issue.message
    problems.push(problemAt(placeOf(long, path), message))
  }
  return undefined
}

/** Listed after all others: there are many. */
const WAITERS = 'aws-waiters.yaml'

interface LibraryFile {
  path: string
  name: string
}

/** The folder of the policies that are shipped: beside the sources as beside an installed `dist/`. */
export function shippedPolicies(): string {
  return (shippedFolder ??= join(packageFolder(), 'scenarios', 'policies'))
}

let shippedFolder: string | undefined

function packageFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url))
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder)
  return folder
}

/** Files as messages and results name them: the shipped ones from the package's root. */
function filesIn(folder: string): LibraryFile[] {
  const isShipped = resolve(folder) === resolve(shippedPolicies())
  let names: string[]
  try {
    names = readdirSync(folder)
  } catch {
    return []
  }
  return names
    .filter((name) => /\.ya?ml$/.test(name))
    .toSorted()
    .map((name) => ({
      path: join(folder, name),
      name: isShipped ? `scenarios/policies/${name}` : posix.join(folder.split(sep).join('/'), name),
    }))
    .toSorted((a, b) => Number(a.path.endsWith(WAITERS)) - Number(b.path.endsWith(WAITERS)))
}

/**
 * The shipped library, and beside it the files of the folders `policies/`
 * beside a scenario. Nothing is read before a name is looked up.
 *
 * @param scenarioFolders the folders of the scenario and of what it extends
 */
export function createLibrary(scenarioFolders: readonly string[]): Library {
  const folders = [shippedPolicies(), ...scenarioFolders.map((folder) => join(folder, 'policies'))]
  const unique = folders.filter(
    (folder, index) => folders.findIndex((other) => resolve(other) === resolve(folder)) === index,
  )
  let sources: Source[] | undefined
  const problems: Problem[] = []
  const found = new Map<string, LibraryEntry[]>()

  /** The entries of an id, or all with '' for the id. */
  function read(id: string, how: (source: Source) => ReadFile): LibraryEntry[] {
    const before = found.get(id)
    if (before !== undefined) return before
    sources ??= unique.flatMap(filesIn).flatMap((file) => sourceFrom(file, problems))
    const files = sources.map((source) => once(source, id, how))
    const entries = files.flatMap((file) => file.entries)
    found.set(id, entries)
    problems.push(...files.flatMap((file) => file.problems), ...doubles(entries))
    return entries
  }
  const all = () => read('', allEntries)

  return {
    find(kind, id) {
      const same = read(id, (source) => entriesOfId(source, id))
      const entry = same.find((other) => other.kind === kind && other.id === id)
      if (entry?.node !== undefined) return { entry: { ...entry, node: entry.node } }
      return { problem: notFound(kind, id, all()) }
    },
    all,
    problems: () => problems,
  }
}

function sourceFrom({ path, name }: LibraryFile, problems: Problem[]): Source[] {
  try {
    return [{ origin: 'library', name, text: readFileSync(path, 'utf8') }]
  } catch (error) {
    problems.push(problemOfFile(name, `${name} cannot be read: ${(error as Error).message}`))
    return []
  }
}

/** An id stands for one policy of a kind, wherever it comes from. */
function doubles(entries: readonly LibraryEntry[]): Problem[] {
  const firsts = new Map<string, LibraryEntry>()
  return entries.flatMap((entry) => {
    const key = `${entry.kind} ${entry.id}`
    const first = firsts.get(key)
    if (first === undefined) {
      firsts.set(key, entry)
      return []
    }
    const { name } = first.at.source
    const { line, column } = lineAndColumn(first.at)
    const what = entry.kind in LIBRARY_KINDS ? LIBRARY_KINDS[entry.kind as LibraryKind] : 'an entry'
    return [
      problemAt(
        entry.at,
        `${what} ${entry.id} is there already: ${name}:${line}:${column}\ngive yours another id, such as our-${entry.id}`,
      ),
    ]
  })
}

function notFound(kind: LibraryKind, id: string, all: readonly LibraryEntry[]): string {
  const same = all.filter((entry) => entry.id === id)
  const undetermined = same.find((entry) => entry.kind === 'undetermined')
  if (undetermined !== undefined) {
    return `@${id} is known, but its behaviour is not determined (${String(undetermined.written)}): write the values yourself`
  }
  const fact = same.find((entry) => entry.kind === 'scenario')
  if (fact !== undefined) {
    const keys = Object.keys(fact.written as object)
    return `@${id} is no policy but a fact of the world: set ${keys.join(' and ')}`
  }
  const other = same.find((entry) => entry.kind in LIBRARY_KINDS)
  const example = all.find((entry) => entry.kind === kind)
  if (other !== undefined && other.kind !== kind) {
    const such = example === undefined ? '' : `, such as @${example.id}`
    return `@${id} is ${LIBRARY_KINDS[other.kind as LibraryKind]}; here goes ${LIBRARY_KINDS[kind]}${such}`
  }
  if (other !== undefined) return `@${id} is broken: see what is said about ${other.at.source.name}`
  const ids = all.flatMap((entry) => (entry.kind === kind ? [entry.id] : []))
  const near = nearestOf(id, ids) ?? ids.find((name) => name.endsWith(`/${id}`))
  const what = LIBRARY_KINDS[kind].replace(/^an? /, '')
  return `the library has no ${what} @${id}${near === undefined ? '' : `: did you mean @${near}?`}\nto list them: delivery-bench policies`
}
