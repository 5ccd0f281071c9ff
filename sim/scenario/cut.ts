/** Policy words that YAML cut at a comma. */
import { quoted } from './values.ts'

/** A key or an entry that YAML made of the second half of a policy word. */
export const looksCut = (text: string): boolean => /^[a-z][\w.]*=/i.test(text)

export const cutProblem = (text: string): string =>
  `${quoted(text)} looks like the second half of a policy word that YAML cut at a comma: put the whole word in quotes, or one entry a line`
