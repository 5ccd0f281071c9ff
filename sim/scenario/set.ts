/** What the command line says about a scenario: `--set path=value`, `-m word`, `--seed`, `--binding`. */
import { didYouMean } from '../policies/nearest.ts'
import { entryOf, isNull, mapNode, plain, scalar, type Entry, type MapNode, type Node } from './node.ts'
import type { Origin, Place, Source } from './place.ts'
import { COMBINING, KIND_NAMES } from './policies/kinds.ts'
import { mechanismOf } from './policies/longhand.ts'
import { problemAt, type Problem } from './problem.ts'
import { kindOf } from './values.ts'
import { readYaml } from './yaml.ts'

/** The file says these about itself; another value would make it another scenario. */
const NOT_SET = ['name', 'question', 'description', 'source', 'extends', 'expect', 'claims']

/** An option as it was typed, for its places in messages. */
export const optionSource = (origin: Origin, value: string): Source => ({
  origin,
  name: 'command line',
  text: `${origin} ${value}`,
})

/** One step of an address, with its place in the option. */
interface Step {
  name: string
  at: Place
}

/** `root` with one `--set path=value` applied. The scenario is in long form and names its mechanisms. */
export function applySet(root: MapNode, option: string): { root: MapNode; problems: Problem[] } {
  const source = optionSource('--set', option)
  const from = '--set '.length
  const equals = source.text.indexOf('=', from)
  const fail = (at: Place, text: string) => ({ root, problems: [problemAt(at, text)] })
  if (equals < 0) {
    const at = { source, start: from, end: source.text.length }
    return fail(at, 'write --set path=value, such as --set job.duration=30s')
  }
  if (equals === source.text.length - 1) {
    const at = { source, start: equals, end: equals + 1 }
    return fail(at, 'no value stands after =: write one, or null for the default')
  }
  const read = readYaml(source, equals + 1)
  if ('problems' in read) return { root, problems: read.problems }
  return setAt(root, stepsOf(source, from, equals), read.node)
}

/** `root` with the values of a `given` map put in at their addresses. */
export function applyGiven(root: MapNode, given: MapNode): { root: MapNode; problems: Problem[] } {
  const problems: Problem[] = []
  let changed = root
  for (const [address, { keyAt, node }] of given.entries) {
    // In quotes the address begins one character later.
    const start = keyAt.start + (keyAt.source.text.startsWith(address, keyAt.start) ? 0 : 1)
    const result = setAt(changed, stepsOf(keyAt.source, start, start + address.length), node)
    problems.push(...result.problems)
    changed = result.root
  }
  return { root: changed, problems }
}

/** `root` with a value at an address of any kind. */
function setAt(root: MapNode, steps: readonly Step[], value: Node): { root: MapNode; problems: Problem[] } {
  const fail = (at: Place, text: string) => ({ root, problems: [problemAt(at, text)] })
  const empty = steps.find((step) => step.name === '')
  if (empty) {
    return fail(
      { ...empty.at, end: empty.at.start + 1 },
      'an address is keys joined by dots, such as job.duration',
    )
  }
  const [first] = steps as [Step, ...Step[]]
  if (NOT_SET.includes(first.name)) {
    return fail(first.at, `${first.name} belongs in the file: it cannot be set from outside`)
  }
  return KIND_NAMES.some((kind) => kind === first.name)
    ? setInPolicies(root, steps, value)
    : withProblems(root, setIn(root, steps, value))
}

function stepsOf(source: Source, from: number, to: number): Step[] {
  let start = from
  return source.text
    .slice(from, to)
    .split('.')
    .map((name) => {
      const at = { source, start, end: start + name.length }
      start += name.length + 1
      return { name, at }
    })
}

const withProblems = (root: MapNode, result: Node | Problem) =>
  'message' in result ? { root, problems: [result] } : { root: result as MapNode, problems: [] }

/** `node` with a value put in at an address, or why there is no such address. Maps on the way are made. */
function setIn(
  node: Node,
  steps: readonly Step[],
  value: Node,
  walked: readonly string[] = [],
): Node | Problem {
  const [step, ...rest] = steps
  if (step === undefined) return value
  const here = walked.join('.')
  if (node.of === 'scalar') {
    return problemAt(
      step.at,
      `there is no ${[...walked, step.name].join('.')}: ${here} is ${kindOf(node.value)}`,
    )
  }
  if (node.of === 'list') {
    const index = indexOf(node.items, step.name)
    if (index === undefined) {
      const names = node.items.flatMap((item) => nameOf(item) ?? [])
      const range = `entries of ${here} are 0 to ${node.items.length - 1}${names.length > 0 ? `, or ${names.join(', ')}` : ''}`
      return problemAt(
        step.at,
        `there is no ${[...walked, step.name].join('.')}${didYouMean(step.name, names)}\n${range}`,
      )
    }
    const inner = setIn(node.items[index] as Node, rest, value, [...walked, step.name])
    if ('message' in inner) return inner
    return { ...node, items: node.items.with(index, inner) }
  }
  const entries = new Map(node.entries)
  if (rest.length === 0 && isNull(value)) {
    entries.delete(step.name)
    return { ...node, entries }
  }
  const before: Entry | undefined = entryOf(node, step.name)
  const next = rest[0]
  if (before === undefined && next !== undefined && /^\d+$/.test(next.name)) {
    const list = [...walked, step.name].join('.')
    return problemAt(next.at, `there is no ${list}.${next.name}: the scenario has no list ${list}`)
  }
  const inner = setIn(before?.node ?? mapNode(step.at, []), rest, value, [...walked, step.name])
  if ('message' in inner) return inner
  entries.set(step.name, { keyAt: before?.keyAt ?? step.at, node: inner })
  return { ...node, entries }
}

const indexOf = (items: readonly Node[], name: string): number | undefined => {
  const index = /^\d+$/.test(name) ? Number(name) : items.findIndex((item) => nameOf(item) === name)
  return index >= 0 && index < items.length ? index : undefined
}

/** What an entry of a list is called: its label, its name, or the library policy it uses. */
const nameOf = (item: Node): string | undefined => {
  const named = ['label', 'name', 'use'].flatMap((key) => entryOf(item, key)?.node ?? [])
  const [name] = named.map(plain)
  return typeof name === 'string' ? name : undefined
}

/** `poll.interval` is that key in every polling policy, fallbacks included. */
function setInPolicies(
  root: MapNode,
  steps: readonly Step[],
  value: Node,
): { root: MapNode; problems: Problem[] } {
  const [kind, ...rest] = steps as [Step, ...Step[]]
  const fail = (problem: Problem) => ({ root, problems: [problem] })
  if (rest.length === 0) {
    return fail(problemAt(kind.at, `which key of the policy? for example ${kind.name}.timeout`))
  }
  const mechanisms = entryOf(root, 'mechanisms')
  if (mechanisms?.node.of !== 'list') return { root, problems: [] }
  const items: Node[] = []
  for (const item of mechanisms.node.items) {
    const changed = setInMechanism(item, steps, value)
    if ('message' in changed) return fail(changed)
    items.push(changed)
  }
  const before = mechanisms.node.items
  if (items.every((item, index) => item === before[index])) {
    const message = `no mechanism of this scenario is a ${kind.name}, so there is nothing to set`
    return fail(problemAt(kind.at, message))
  }
  const node: Node = { ...mechanisms.node, items }
  return {
    root: { ...root, entries: new Map(root.entries).set('mechanisms', { ...mechanisms, node }) },
    problems: [],
  }
}

/** A mechanism with the value set in it and in what it is combined with; itself if it has no such policy. */
function setInMechanism(node: Node, steps: readonly Step[], value: Node): Node | Problem {
  const kind = (steps[0] as Step).name
  let changed: Node | Problem = entryOf(node, kind) ? setIn(node, steps, value) : node
  if ('message' in changed || changed.of !== 'map') return changed
  const mix = entryOf(changed, 'mix')
  if (mix?.node.of === 'list') {
    const parts: Node[] = []
    for (const part of mix.node.items) {
      const set = setInMechanism(part, steps, value)
      if ('message' in set) return set
      parts.push(set)
    }
    const before = mix.node.items
    if (parts.some((part, index) => part !== before[index])) {
      const entries = new Map(changed.entries).set('mix', { ...mix, node: { ...mix.node, items: parts } })
      changed = { ...changed, entries }
    }
  }
  for (const name of KIND_NAMES) {
    for (const key of COMBINING) {
      const entry: Entry | undefined = entryOf(changed, name)
      const inner: Entry | undefined = entryOf(entry?.node, key)
      if (entry?.node.of !== 'map' || inner === undefined) continue
      const set: Node | Problem = setInMechanism(inner.node, steps, value)
      if ('message' in set) return set
      if (set === inner.node) continue
      const map: Node = {
        ...entry.node,
        entries: new Map(entry.node.entries).set(key, { ...inner, node: set }),
      }
      changed = { ...changed, entries: new Map(changed.entries).set(name, { ...entry, node: map }) }
    }
  }
  return changed
}

/** `root` with its mechanisms replaced by those of `-m` options: words, or maps in braces. */
export function replaceMechanisms(
  root: MapNode,
  words: readonly string[],
): { root: MapNode; problems: Problem[] } {
  const problems: Problem[] = []
  const items = words.map((word): Node => {
    const source = optionSource('-m', word)
    const from = '-m '.length
    const at: Place = { source, start: from, end: source.text.length }
    if (!/^\s*[{"']/.test(word)) return mechanismOf(scalar(at, word), problems)
    const read = readYaml(source, from)
    if ('node' in read) return mechanismOf(read.node, problems)
    problems.push(...read.problems)
    return scalar(at, word)
  })
  const at = (items[0] as Node).at
  const node: Node = { of: 'list', at, items }
  return {
    root: { ...root, entries: new Map(root.entries).set('mechanisms', { keyAt: at, node }) },
    problems,
  }
}

/** `root` with the value of an option of its own, such as `--seed 7`. */
export function applyOption(
  root: MapNode,
  origin: Origin,
  path: readonly string[],
  value: string | number,
): MapNode {
  const source = optionSource(origin, String(value))
  const at: Place = { source, start: origin.length + 1, end: source.text.length }
  const steps = path.map((name) => ({ name, at }))
  const changed = setIn(root, steps, scalar(at, value))
  if ('message' in changed) return root
  return changed as MapNode
}
