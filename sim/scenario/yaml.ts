/** YAML text to nodes. What YAML allows and a scenario does not is refused here, each with its place. */
import * as YAML from 'yaml'
import { mapNode, scalar, type Entry, type Node } from './node.ts'
import type { Place, Source } from './place.ts'
import { problemAt, type Problem } from './problem.ts'

const MAX_ALIASES = 100

/** Reads the text of a source, or a part of it. An empty text is a scalar `null`; with problems there is no node. */
export function readYaml(
  source: Source,
  from = 0,
  to = source.text.length,
): { node: Node } | { problems: Problem[] } {
  const text = source.text.slice(from, to)
  const place = (start: number, end: number): Place => ({ source, start: from + start, end: from + end })
  try {
    const document = YAML.parseDocument(text, { version: '1.2', strict: true, uniqueKeys: true })
    const faults = [...syntaxFaults(document, text)]
    if (faults.length === 0) faults.push(...forbidden(document, text))
    if (faults.length > 0) return { problems: faults.map((f) => problemAt(place(f.start, f.end), f.message)) }
    return { node: convert(document, place, text.length) }
  } catch (error) {
    // Parser and conversion recurse; only absurd nesting exhausts the stack.
    if (!(error instanceof RangeError)) throw error
    return { problems: [problemAt(place(0, 1), TOO_DEEP)] }
  }
}

interface Fault {
  start: number
  end: number
  message: string
}

/** One slip makes the parser complain several times: after the first, only complaints that stand for themselves. */
function* syntaxFaults(document: YAML.Document, text: string): Iterable<Fault> {
  for (const [index, error] of document.errors.entries()) {
    // What is missing at the end is missing after the last thing that is there.
    const start = Math.min(error.pos[0], text.trimEnd().length)
    const standsAlone = error.code === 'DUPLICATE_KEY' || text[start] === '@'
    if (index > 0 && !standsAlone) continue
    yield { start, end: wordEnd(text, start), message: sentenceOf(error, text) }
  }
}

const wordEnd = (text: string, start: number): number =>
  start + Math.max(1, (/^[^\s,{}[\]]*/.exec(text.slice(start)) as RegExpExecArray)[0].length)

function sentenceOf(error: YAML.YAMLParseError, text: string): string {
  const rest = text.slice(error.pos[0])
  const line = text.slice(text.lastIndexOf('\n', error.pos[0] - 1) + 1, error.pos[0])
  if (rest.startsWith('@')) {
    const name = /^@([\w./-]+)/.exec(rest)?.[1]
    return `YAML keeps @ for itself at the start of a value: write ${name ?? 'the name'} without @, or in quotes`
  }
  if (rest.startsWith('>') || />[-+]?$/.test(line)) {
    return 'a value cannot begin with >: write a range such as 3.. or ..60s'
  }
  if (error.code === 'DUPLICATE_KEY') {
    return `the key ${text.slice(error.pos[0], wordEnd(text, error.pos[0])).replace(/:$/, '')} is there twice`
  }
  return (
    SENTENCES[error.code] ??
    `not YAML: ${lowerFirst((error.message.split('\n')[0] as string).replace(/ at line \d+.*$/, ''))}`
  )
}

const TAGS = 'tags such as !!str are not allowed in a scenario: it is data only'
const TOO_DEEP = 'this is nested too deeply to be read'

const SENTENCES: Partial<Record<YAML.ErrorCode, string>> = {
  TAB_AS_INDENT: 'YAML allows no tabs for indentation: use spaces',
  BLOCK_AS_IMPLICIT_KEY:
    'a text that contains ": " needs quotes; if this is meant as a map, begin it on the next line',
  RESOURCE_EXHAUSTION: TOO_DEEP,
  MULTIPLE_DOCS: 'one scenario a file: put what follows --- into a file of its own',
}

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1)

/** Tags, merge keys, directives, keys that are no words, and aliases that lead nowhere or too far. */
function forbidden(document: YAML.Document.Parsed, text: string): Fault[] {
  const faults: Fault[] = []
  const say = (node: YAML.Node, message: string) => {
    const [start = 0, end = 0] = node.range ?? []
    faults.push({ start, end, message })
  }
  if (document.directives.yaml.explicit === true || /^\s*%/.test(text)) {
    faults.push({ start: 0, end: wordEnd(text, 0), message: 'a scenario has no % lines: remove this one' })
  }
  let aliases = 0
  YAML.visit(document, {
    Node(_key, node, ancestors) {
      if (YAML.isAlias(node)) {
        aliases += 1
        const target = node.resolve(document)
        if (target === undefined) say(node, `there is no anchor &${node.source} before this alias`)
        else if (ancestors.includes(target)) say(node, `*${node.source} stands inside its own anchor`)
        if (aliases === MAX_ALIASES + 1) say(node, `more than ${MAX_ALIASES} aliases: write the values out`)
      } else if (node.tag !== undefined) {
        // The range of a node begins after its tag.
        const [start = 0, end = 0] = node.range ?? []
        faults.push({ start: text.slice(0, start).search(/!\S*\s*$/), end, message: TAGS })
      }
    },
    Pair(_key, { key }) {
      if (!YAML.isScalar(key) || key.value === null) {
        if (YAML.isNode(key)) say(key, 'a key is a word')
      } else if (key.value === '<<') {
        say(key, 'merge keys (<<) are not part of the format: write the keys out, or use extends')
      }
    },
  })
  if (faults.length > 0) return faults
  try {
    // Few aliases can still multiply each other into a text that fills the memory.
    document.toJS({ maxAliasCount: MAX_ALIASES })
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error
    YAML.visit(document, {
      Alias(_key, node) {
        say(node, 'these aliases multiply each other beyond measure: write the values out')
        return YAML.visit.BREAK
      },
    })
  }
  return faults
}

function convert(
  document: YAML.Document.Parsed,
  place: (start: number, end: number) => Place,
  length: number,
): Node {
  const nodeOf = (node: unknown, at: Place): Node => {
    if (YAML.isAlias(node)) {
      const target = node.resolve(document) as YAML.Node
      return { ...nodeOf(target, placeOf(target)), at: placeOf(node) }
    }
    if (YAML.isSeq(node)) {
      return { of: 'list', at: placeOf(node), items: node.items.map((item) => nodeOf(item, placeOf(node))) }
    }
    if (YAML.isMap(node)) {
      const entries = node.items.map(({ key, value }): [string, Entry] => {
        const keyAt = placeOf(key as YAML.Scalar)
        return [String((key as YAML.Scalar).value), { keyAt, node: nodeOf(value, keyAt) }]
      })
      return mapNode(placeOf(node), entries)
    }
    if (YAML.isScalar(node)) return scalar(placeOf(node), node.value as string | number | boolean | null)
    // A key without a value in a flow map.
    return scalar(at, null)
  }
  const placeOf = ({ range }: YAML.Node): Place => place(range?.[0] ?? 0, range?.[1] ?? 0)
  return nodeOf(document.contents, place(0, Math.min(1, length)))
}
