/**
 * Expressions over the columns of a file: `0.25ms * ContextTokens + 30ms *
 * GeneratedTokens`. Columns, numbers, durations, + - * / ( ), min and max; each
 * value is a number, a time or a date, and what makes no sense is refused (two
 * times multiplied, a number added to a time). Nothing is executed.
 */
import { parseDuration } from '../../kernel/units.ts'
import { didYouMean } from '../../policies/nearest.ts'
import { quoted } from '../values.ts'

export type Expression =
  | { of: 'number'; value: number }
  | { of: 'time'; us: number }
  | { of: 'column'; name: string }
  | { of: 'operation'; operator: Operator; left: Expression; right: Expression }
  | { of: 'choice'; choose: 'min' | 'max'; among: readonly Expression[] }

type Operator = '+' | '-' | '*' | '/'

interface Problem {
  problem: string
}

const ALLOWED = 'columns, numbers, durations and + - * / ( ) min max'

/** Nobody writes more, and what is nested deeper than this is no mistake of a person's. */
const LONGEST = 1000

type Token =
  | { of: 'number'; text: string; value: number }
  | { of: 'time'; text: string; us: number }
  | { of: 'name'; text: string }
  | { of: 'sign'; text: string }

const TIME = /^(?:\d+(?:\.\d+)?(?:us|ms|s|m|h|d))+(?![\w.])/
const NUMBER = /^\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])/
const NAME = /^[\p{L}_][\p{L}\p{N}_.]*/u
const SIGN = /^[-+*/(),]/

function tokensOf(text: string): Token[] | Problem {
  if (text.length > LONGEST) return { problem: `this is longer than ${LONGEST} characters` }
  const tokens: Token[] = []
  let rest = text
  while ((rest = rest.trimStart()) !== '') {
    const [time] = TIME.exec(rest) ?? []
    const [found = ''] =
      (time === undefined ? (NUMBER.exec(rest) ?? NAME.exec(rest) ?? SIGN.exec(rest)) : [time]) ?? []
    if (found === '') {
      const [odd = ''] = /^(?:[\d.][\w.]*|.)/u.exec(rest) ?? []
      return /^[\d.]/.test(odd)
        ? { problem: `"${odd}" is neither a number nor a duration` }
        : { problem: `${quoted(odd)} is not allowed here: ${ALLOWED}` }
    }
    if (time !== undefined) {
      const us = timeOf(time)
      if (us === undefined)
        return { problem: `"${time}" is not a duration: units go from large to small, each once` }
      tokens.push({ of: 'time', text: time, us })
    } else if (/^\d/.test(found)) tokens.push({ of: 'number', text: found, value: Number(found) })
    else tokens.push({ of: SIGN.test(found) ? 'sign' : 'name', text: found })
    rest = rest.slice(found.length)
  }
  return tokens
}

/** A factor may be finer than a microsecond, as `0.25us`: what comes out is rounded in the end. */
function timeOf(text: string): number | undefined {
  const us = parseDuration(text)
  if (us !== undefined) return us
  const [, number, unit] = /^(\d+\.\d+)([a-z]+)$/.exec(text) ?? []
  return number === undefined ? undefined : Number(number) * (parseDuration(`1${unit}`) as number)
}

class WrongExpression extends Error {}

/** Reads an expression; which columns there are is not known here. */
export function parseExpression(text: string): { expression: Expression } | Problem {
  const found = tokensOf(text)
  if ('problem' in found) return found
  const tokens: readonly Token[] = found
  if (tokens.length === 0) return { problem: `nothing stands here: ${ALLOWED}` }
  let next = 0
  const peek = (sign: string): boolean => tokens[next]?.of === 'sign' && tokens[next]?.text === sign
  const take = (sign: string): boolean => {
    const isThere = peek(sign)
    if (isThere) next += 1
    return isThere
  }
  const before = (): string => (next === 0 ? 'here' : `after ${(tokens[next - 1] as Token).text}`)

  function sum(): Expression {
    let left = product()
    while (peek('+') || peek('-')) left = operation(left, product)
    return left
  }
  function product(): Expression {
    let left = value()
    while (peek('*') || peek('/')) left = operation(left, value)
    return left
  }
  function operation(left: Expression, rightOf: () => Expression): Expression {
    const operator = (tokens[next++] as Token).text as Operator
    return { of: 'operation', operator, left, right: rightOf() }
  }
  function value(): Expression {
    if (take('-')) return { of: 'operation', operator: '-', left: { of: 'number', value: 0 }, right: value() }
    if (take('(')) {
      const inside = sum()
      if (!take(')')) throw new WrongExpression(`a ) is missing ${before()}`)
      return inside
    }
    const token = tokens[next]
    if (token === undefined) throw new WrongExpression(`a value is missing ${before()}`)
    if (token.of === 'sign') throw new WrongExpression(`${token.text} stands where a value belongs`)
    next += 1
    if (token.of === 'number') return { of: 'number', value: token.value }
    if (token.of === 'time') return { of: 'time', us: token.us }
    if (!take('(')) return { of: 'column', name: token.text }
    if (token.text !== 'min' && token.text !== 'max')
      throw new WrongExpression(`there is no function ${token.text}: min and max`)
    const among = [sum()]
    while (take(',')) among.push(sum())
    if (!take(')')) throw new WrongExpression(`a ) is missing ${before()}`)
    return { of: 'choice', choose: token.text, among }
  }

  try {
    const expression = sum()
    const left = tokens[next]
    if (left === undefined) return { expression }
    return {
      problem:
        left.text === ')'
          ? 'a ) closes what no ( has opened'
          : left.text === ','
            ? 'a comma belongs inside min( ) or max( )'
            : `nothing stands between ${(tokens[next - 1] as Token).text} and ${left.text}: write + - * or /`,
    }
  } catch (error) {
    if (!(error instanceof WrongExpression)) throw error
    return { problem: error.message }
  }
}

/** The columns an expression names, each once. */
export function columnsIn(expression: Expression): string[] {
  switch (expression.of) {
    case 'number':
    case 'time':
      return []
    case 'column':
      return [expression.name]
    case 'operation':
      return [...new Set([...columnsIn(expression.left), ...columnsIn(expression.right)])]
    case 'choice':
      return [...new Set(expression.among.flatMap(columnsIn))]
  }
}

/** What a value is: times in µs, dates in µs since 1970. */
export type Kind = 'number' | 'time' | 'date'

/** A column with its values by row, from 0. */
export interface Column {
  kind: Kind
  values: Float64Array
}

export interface Compiled {
  kind: Kind
  /** True for what is the number 0 whatever the row says: it may stand for no time as well. */
  isZero?: true
  valueAt: (row: number) => number
}

const CALLED: Readonly<Record<Kind, string>> = { number: 'a number', time: 'a time', date: 'a date' }

/** An expression ready to be worked out row by row, or why its kinds do not go together. */
export function compile(expression: Expression, columns: ReadonlyMap<string, Column>): Compiled | Problem {
  switch (expression.of) {
    case 'number': {
      const { value } = expression
      return { kind: 'number', ...(value === 0 && { isZero: true }), valueAt: () => value }
    }
    case 'time': {
      const { us } = expression
      return { kind: 'time', valueAt: () => us }
    }
    case 'column': {
      const column = columns.get(expression.name)
      if (column === undefined)
        return {
          problem: `there is no column ${quoted(expression.name)}${didYouMean(expression.name, [...columns.keys()])}`,
        }
      const { kind, values } = column
      return { kind, valueAt: (row) => values[row] as number }
    }
    case 'operation': {
      const left = compile(expression.left, columns)
      if ('problem' in left) return left
      const right = compile(expression.right, columns)
      if ('problem' in right) return right
      return operationOf(expression.operator, left, right)
    }
    case 'choice': {
      const among: Compiled[] = []
      for (const one of expression.among) {
        const compiled = compile(one, columns)
        if ('problem' in compiled) return compiled
        among.push(compiled)
      }
      return choiceOf(expression.choose, among)
    }
  }
}

function choiceOf(choose: 'min' | 'max', among: readonly Compiled[]): Compiled | Problem {
  const said = among.filter(({ isZero }) => isZero !== true)
  const kind = said[0]?.kind ?? 'number'
  const other = said.find((one) => one.kind !== kind)
  if (other !== undefined)
    return {
      problem: `${choose}( ) of ${CALLED[kind]} and ${CALLED[other.kind]}: write units, such as 1ms * column`,
    }
  const values = among.map(({ valueAt }) => valueAt)
  const better = choose === 'min' ? Math.min : Math.max
  return {
    kind,
    valueAt(row) {
      let best = (values[0] as (row: number) => number)(row)
      for (let i = 1; i < values.length; i++) best = better(best, (values[i] as (row: number) => number)(row))
      return best
    },
  }
}

function operationOf(operator: Operator, a: Compiled, b: Compiled): Compiled | Problem {
  const [left, right] = [a.valueAt, b.valueAt]
  const kind = kindOf(operator, a, b)
  if (kind === undefined) {
    const verb = { '+': 'added to', '-': 'taken from', '*': 'multiplied by', '/': 'divided by' }[operator]
    const [first, second] = operator === '+' || operator === '-' ? [b, a] : [a, b]
    const isBare = [a, b].some(({ kind: its }) => its === 'number') && (operator === '+' || operator === '-')
    return {
      problem: `${CALLED[first.kind]} cannot be ${verb} ${CALLED[second.kind]}${isBare ? ': write units, such as 1ms * column' : ''}`,
    }
  }
  switch (operator) {
    case '+':
      return { kind, valueAt: (row) => left(row) + right(row) }
    case '-':
      return { kind, valueAt: (row) => left(row) - right(row) }
    case '*':
      return { kind, valueAt: (row) => left(row) * right(row) }
    case '/':
      return { kind, valueAt: (row) => left(row) / right(row) }
  }
}

/** What comes of two values, `undefined` for what makes no sense. */
function kindOf(operator: Operator, a: Compiled, b: Compiled): Kind | undefined {
  const left =
    a.isZero && (operator === '+' || operator === '-') ? (b.kind === 'date' ? 'time' : b.kind) : a.kind
  const right =
    b.isZero && (operator === '+' || operator === '-') ? (a.kind === 'date' ? 'time' : a.kind) : b.kind
  switch (operator) {
    case '+':
      if (left === 'date' || right === 'date')
        return left !== right && [left, right].includes('time') ? 'date' : undefined
      return left === right ? left : undefined
    case '-':
      if (left === 'date') return right === 'date' ? 'time' : right === 'time' ? 'date' : undefined
      return left === right ? left : undefined
    case '*':
      if (left === 'date' || right === 'date') return undefined
      return left === 'number' ? right : right === 'number' ? left : undefined
    case '/':
      if (left === 'date' || right === 'date') return undefined
      return right === 'number' ? left : left === right ? 'number' : undefined
  }
}
