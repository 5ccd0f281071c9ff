/** Policy words that YAML cut at a comma. */
import { quoted } from './values.ts'

/** A key or an entry that YAML made of the second half of a policy word. */
export const looksCut = (text: string): boolean => /^[a-z][\w.]*=/i.test(text)

export const cutProblem = (text: string): string =>
  `${quoted(text)} looks like the second half of a policy word that YAML cut at a comma: put the whole word in quotes, or one entry a line`

const count = (text: string, sign: string): number => text.split(sign).length - 1

/** Whether a text is a part of an expression such as `max(1s, 2 * a)`, which YAML cuts at its comma inside braces. */
export const isCutExpression = (text: string): boolean => count(text, '(') !== count(text, ')')

export const CUT_EXPRESSION =
  'this looks like a part of an expression that YAML cut at a comma, or a bracket is missing: put the whole expression in quotes'
