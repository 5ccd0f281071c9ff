/**
 * Policy words: `stream:reconnect=3s>poll:30s,first=after+push`. A word and its
 * map are one thing, so a word is read into the keys and values of the map,
 * each with its place in the word. Which mechanisms, keys and values exist is
 * not decided here but by those who describe them, for words and maps alike.
 *
 *   word      = chain , { "+" , chain }           side by side
 *   chain     = mechanism , { ">" , mechanism }   the next takes over
 *   mechanism = kind , [ ":" , argument , { "," , argument } ]
 *   argument  = value | "@" , name | key , "=" , value
 *
 * `else=` is another spelling of `>`, and `with=` of `+`, for shells.
 */
import { didYouMean } from './nearest.ts'

/** Half-open range of characters in a word. */
export interface Span {
  start: number
  end: number
}

export interface WordArgument {
  /** `first`, or `reconnect.jitter` as two names; `use` for `@name`; empty for a value without a key. */
  key: readonly string[]
  /** The whole argument: what a message about the key marks. */
  keySpan: Span
  /** As YAML would read it. */
  value: string | number | boolean | readonly string[]
  /** What a message about the value marks: for the name of a library policy the whole argument. */
  valueSpan: Span
}

export interface MechanismWord {
  kind: string
  kindSpan: Span
  arguments: readonly WordArgument[]
  /** What joins it to the one before: `>`, `+`, `else=` or `with=`. */
  joint?: Span
}

/** Chains side by side. */
export interface PolicyWord {
  chains: readonly (readonly MechanismWord[])[]
}

/** What is wrong with a word, and where in it. Further lines say what is allowed. */
export interface WordProblem extends Span {
  message: string
}

/** A mechanism stands after `+` only if something like a kind does: `jitter=+25%` is a value. */
const KIND_AHEAD = /^[a-z]+(?=[:>+,]|$)/i
const KEY = /^[A-Za-z][A-Za-z0-9-]*(?:\.[A-Za-z][A-Za-z0-9-]*)*$/
const RATE = /^\d+(?:\.\d+)?\/(?:s|m|h|d)$/
const LIST = /^\d[^/]*(?:\/\d[^/]*)+$|^\d[^/]*\*\d+$/

/** Reads one policy word. `kinds` are the mechanisms there are. */
export function parseWord(
  text: string,
  kinds: readonly string[],
): { word: PolicyWord } | { problem: WordProblem } {
  const chains: MechanismWord[][] = []
  let joint: (Span & { side: boolean }) | undefined
  let at = 0
  do {
    const read = readMechanism(text, at, kinds)
    if ('message' in read) return { problem: read }
    const mechanism = { ...read.mechanism, ...(joint && { joint: { start: joint.start, end: joint.end } }) }
    if (joint === undefined || joint.side) chains.push([mechanism])
    else chains.at(-1)?.push(mechanism)
    joint = read.joint
    at = joint?.end ?? text.length
  } while (joint !== undefined)
  return { word: { chains } }
}

interface ReadMechanism {
  mechanism: MechanismWord
  /** What joins the next one. */
  joint: (Span & { side: boolean }) | undefined
}

function readMechanism(text: string, start: number, kinds: readonly string[]): ReadMechanism | WordProblem {
  const kindEnd = start + (/^[^:+>,\s]*/.exec(text.slice(start))?.[0].length ?? 0)
  const kind = text.slice(start, kindEnd)
  if (!kinds.includes(kind)) return kindProblem(text, kind, start, kinds)
  const mechanism = { kind, kindSpan: { start, end: kindEnd }, arguments: [] as WordArgument[] }
  if (kindEnd === text.length) return { mechanism, joint: undefined }
  const operator = operatorAt(text, kindEnd)
  if (operator) return { mechanism, joint: operator }
  if (text[kindEnd] === ',' && spelledJoint(text, kindEnd + 1)) {
    return { mechanism, joint: spelledJoint(text, kindEnd + 1) }
  }
  if (text[kindEnd] !== ':') {
    const message = `after ${kind} comes a colon: write ${kind}:… with options, or ${kind} alone`
    return { message, start: kindEnd, end: text.length }
  }
  if (kindEnd + 1 === text.length) {
    const message = `nothing stands after the colon: write ${kind} alone, or add options`
    return { message, start: kindEnd, end: text.length }
  }
  for (let at = kindEnd + 1; ;) {
    const spelled = spelledJoint(text, at)
    if (spelled) return { mechanism, joint: spelled }
    let end = at
    while (end < text.length && text[end] !== ',' && !operatorAt(text, end)) end += 1
    const first = mechanism.arguments.length === 0
    const argument = readArgument(text, { start: at, end }, { start, end: at - 1 }, first, kinds)
    if ('message' in argument) return argument
    const name = argument.key.join('.')
    if (mechanism.arguments.some((before) => before.key.join('.') === name)) {
      return { message: `${name} is given twice in one word`, start: at, end }
    }
    mechanism.arguments.push(argument)
    if (end === text.length) return { mechanism, joint: undefined }
    const joint = operatorAt(text, end)
    if (joint) return { mechanism, joint }
    at = end + 1
  }
}

/** `else=` and `with=` join where an argument could begin. */
function spelledJoint(text: string, at: number): (Span & { side: boolean }) | undefined {
  const key = /^(?:else|with)=/.exec(text.slice(at))?.[0]
  return key === undefined ? undefined : { start: at, end: at + key.length, side: key === 'with=' }
}

/** `>` always joins; `+` does where a mechanism follows. */
function operatorAt(text: string, at: number): (Span & { side: boolean }) | undefined {
  const span = { start: at, end: at + 1 }
  if (text[at] === '>') return { ...span, side: false }
  return text[at] === '+' && (at + 1 === text.length || KIND_AHEAD.test(text.slice(at + 1)))
    ? { ...span, side: true }
    : undefined
}

function kindProblem(text: string, kind: string, start: number, kinds: readonly string[]): WordProblem {
  const allowed = `allowed: ${kinds.join(', ')}`
  const end = start + Math.max(kind.length, 1)
  if (kind !== '') {
    return { message: `"${kind}" is no mechanism${didYouMean(kind, kinds)}\n${allowed}`, start, end }
  }
  if (start === 0) {
    const message = `"${text}" is no policy word: it begins with a mechanism, such as poll:7s or stream\n${allowed}`
    return { message, start, end: text.length }
  }
  const before = text.slice(0, start)
  const sign = before.endsWith('=') ? before.slice(-'else='.length) : before.slice(-1)
  const message = `a mechanism is missing after ${sign}: write ${before}poll:30s`
  return { message, start: start - sign.length, end: start }
}

function readArgument(
  word: string,
  whole: Span,
  before: Span,
  first: boolean,
  kinds: readonly string[],
): WordArgument | WordProblem {
  const text = word.slice(whole.start, whole.end)
  const list = bracketedList(word, whole.start)
  if (list) return list
  if (text.trim() === '') {
    const message = 'nothing stands between two commas, or after the last one'
    return { message, start: whole.start, end: whole.start + 1 }
  }
  if (text.startsWith('@')) return { key: ['use'], keySpan: whole, value: text, valueSpan: whole }
  const equals = text.indexOf('=')
  const isDistribution = /^[a-z]+:/.test(text)
  if (equals >= 0 && !isDistribution) {
    const key = text.slice(0, equals)
    if (!KEY.test(key)) {
      return { message: `"${key}" is no key: write key=value, such as first=after`, ...whole }
    }
    if (equals === text.length - 1) return { message: `${key}= has no value`, ...whole }
    const value = text.slice(equals + 1)
    const valueSpan = value.startsWith('@') ? whole : { start: whole.start + equals + 1, end: whole.end }
    return { key: key.split('.'), keySpan: whole, value: typed(value), valueSpan }
  }
  if (kinds.includes(/^[a-z]*/.exec(text)?.[0] ?? '')) {
    const left = word.slice(before.start, before.end)
    const message = `two mechanisms in one word: write two entries, or ${left}+${text} (side by side) or ${left}>${text} (fall back)`
    return { message, ...whole }
  }
  if (!first) return { message: `"${text}" has no key: write key=value, such as first=after`, ...whole }
  return { key: [], keySpan: whole, value: typed(text), valueSpan: whole }
}

/** `reconnect=[1s,2s]`, of which the commas would make several arguments. */
function bracketedList(word: string, start: number): WordProblem | undefined {
  const [whole, key = '', items = ''] = /^([^,=>+]*=)?\[([^\]]*)\]?/.exec(word.slice(start)) ?? []
  if (whole === undefined) return undefined
  const texts = items.split(',').map((item) => item.trim())
  const [first = ''] = texts
  // A list of one would be read as an interval.
  const written = texts.length === 1 && /^[^*]+$/.test(first) ? `${first}*1` : texts.join('/')
  const message =
    first === ''
      ? 'a list in a word is written 1s/2s'
      : `a list in a word is written 1s/2s: write ${key}${written}`
  return { message, start, end: start + whole.length }
}

function typed(text: string): WordArgument['value'] {
  if (/^-?\d+(?:\.\d+)?$/.test(text)) return Number(text)
  if (text === 'true' || text === 'false') return text === 'true'
  if (LIST.test(text) && !RATE.test(text)) return text.split('/')
  // `lognormal:p50=18s;p95=60s`: commas part the arguments.
  return /^[a-z]+:/.test(text) ? text.replaceAll(';', ',') : text
}
