/**
 * Policy words: `poll:7s,first=after`. A word and its map are one thing, so a
 * word is read into the keys and values the map `{ poll: { interval: 7s, first:
 * after } }` has, each with its place in the word. Which keys and values exist
 * is not decided here but by the scenario's schema, for words and maps alike.
 *
 *   mechanism = kind , [ ":" , argument , { "," , argument } ]
 *   argument  = main | "@" , name | key , "=" , value
 */
import { formatDuration } from '../kernel/units.ts'
import { didYouMean } from './nearest.ts'
import type { Policy } from './policy.ts'

/** The mechanisms a word can name. `blocking` is read here and refused by the schema until it exists. */
export const POLICY_KINDS = ['poll', 'stream', 'push', 'blocking'] as const
export type PolicyKind = (typeof POLICY_KINDS)[number]

/** Half-open range of characters in a word. */
export interface Span {
  start: number
  end: number
}

export interface WordArgument {
  /** `first`, or `reconnect.jitter` as two names. A value without a key gets the key it stands for. */
  key: readonly string[]
  /** The whole argument: what a message about the key marks. */
  keySpan: Span
  /** As YAML would read it. */
  value: string | number | boolean | readonly string[]
  valueSpan: Span
}

export interface PolicyWord {
  kind: PolicyKind
  kindSpan: Span
  arguments: readonly WordArgument[]
}

/** What is wrong with a word, and where in it. Further lines say what is allowed. */
export interface WordProblem extends Span {
  message: string
}

const KIND = /^(?:poll|stream|push|blocking)(?![\w.-])/
const KEY = /^[A-Za-z][A-Za-z0-9-]*(?:\.[A-Za-z][A-Za-z0-9-]*)*$/
const RATE = /^\d+(?:\.\d+)?\/(?:s|m|h|d)$/

/** Reads one policy word. */
export function parseWord(text: string): { word: PolicyWord } | { problem: WordProblem } {
  const problem = (message: string, start: number, end: number) => ({ problem: { message, start, end } })
  const kindEnd = /^[^:+>,\s]*/.exec(text)?.[0].length ?? 0
  const kind = POLICY_KINDS.find((known) => known === text.slice(0, kindEnd))
  if (kind === undefined) {
    const given = text.slice(0, kindEnd)
    const message =
      given === ''
        ? `"${text}" is no policy word: it begins with a mechanism, such as poll:7s or stream`
        : `"${given}" is no mechanism${didYouMean(given, POLICY_KINDS)}`
    return problem(`${message}\nallowed: poll, stream, push`, 0, kindEnd || text.length)
  }

  const combination = findCombination(text, kindEnd)
  if (combination) return { problem: combination }
  if (kindEnd === text.length) return { word: { kind, kindSpan: { start: 0, end: kindEnd }, arguments: [] } }
  if (text[kindEnd] !== ':') {
    return problem(
      `after ${kind} comes a colon: write ${kind}:… with options, or ${kind} alone`,
      kindEnd,
      text.length,
    )
  }
  if (kindEnd + 1 === text.length) {
    return problem(
      `nothing stands after the colon: write ${kind} alone, or add options`,
      kindEnd,
      text.length,
    )
  }

  const found: WordArgument[] = []
  for (let start = kindEnd + 1; start <= text.length;) {
    let end = text.indexOf(',', start)
    if (end < 0) end = text.length
    const given = text.slice(start, end)
    // These two hold a whole word, so they take the rest of this one.
    if (/^(?:else|with)=/.test(given)) end = text.length
    const argument = readArgument(kind, text.slice(start, end), start, found.length === 0)
    if ('message' in argument) return { problem: argument }
    const name = argument.key.join('.')
    if (found.some((before) => before.key.join('.') === name)) {
      return problem(`${name} is given twice in one word`, start, end)
    }
    found.push(argument)
    start = end + 1
  }
  return { word: { kind, kindSpan: { start: 0, end: kindEnd }, arguments: found } }
}

/** `+` is an operator only before a mechanism, so that `jitter=+25%` stays a value; `>` always is one. */
function findCombination(text: string, from: number): WordProblem | undefined {
  for (let at = from; at < text.length; at++) {
    const sign = text[at]
    if (sign === '>' || (sign === '+' && KIND.test(text.slice(at + 1)))) {
      const name = sign === '+' ? 'side by side (+)' : 'falling back (>)'
      return {
        message: `${name} is part of the format but not of this release: write two entries`,
        start: at,
        end: text.length,
      }
    }
  }
  return undefined
}

function readArgument(
  kind: PolicyKind,
  text: string,
  start: number,
  first: boolean,
): WordArgument | WordProblem {
  const whole = { start, end: start + text.length }
  if (text.trim() === '') {
    return { message: 'nothing stands between two commas, or after the last one', ...whole, end: start + 1 }
  }
  if (text.startsWith('@')) return { key: ['use'], keySpan: whole, value: text.slice(1), valueSpan: whole }
  const equals = text.indexOf('=')
  if (equals >= 0) {
    const key = text.slice(0, equals)
    if (!KEY.test(key)) {
      return { message: `"${key}" is no key: write key=value, such as first=after`, ...whole }
    }
    if (equals === text.length - 1) return { message: `${key}= has no value`, ...whole }
    return {
      key: key.split('.'),
      keySpan: whole,
      value: typed(text.slice(equals + 1)),
      valueSpan: { start: start + equals + 1, end: whole.end },
    }
  }
  if (KIND.test(text)) {
    return {
      message: 'two mechanisms in one word: write two entries',
      ...whole,
    }
  }
  if (!first) return { message: `"${text}" has no key: write key=value, such as first=after`, ...whole }
  switch (kind) {
    case 'poll':
      return text.includes('/') && !RATE.test(text)
        ? { key: ['delays'], keySpan: whole, value: text.split('/'), valueSpan: whole }
        : { key: ['interval'], keySpan: whole, value: typed(text), valueSpan: whole }
    case 'blocking':
      return { key: ['hold'], keySpan: whole, value: typed(text), valueSpan: whole }
    case 'stream':
    case 'push':
      return { message: `${kind} takes no value of its own: "${text}" needs a key`, ...whole }
  }
}

const typed = (text: string): string | number | boolean =>
  /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : text === 'true' || text === 'false' ? text === 'true' : text

/**
 * The canonical word of a policy, defaults left out: `poll:7s`,
 * `poll:7s,first=after`. Equal policies have equal words. A poll's interval is
 * always written: a row called `poll` would hide what it does.
 */
export function wordOf(policy: Policy): string {
  switch (policy.kind) {
    case 'poll': {
      const parts = [formatDuration(policy.intervalUs)]
      if (policy.firstAfterUs === policy.intervalUs) parts.push('first=after')
      else if (policy.firstAfterUs !== 0) parts.push(`first=${formatDuration(policy.firstAfterUs)}`)
      if (policy.waitFrom !== 'response') parts.push(`waitFrom=${policy.waitFrom}`)
      return `poll:${parts.join(',')}`
    }
    case 'stream':
    case 'push':
      return policy.kind
  }
}
