/** Where a value was written: every value of a scenario keeps its place until it is checked. */

/** Who said it. Later ones win over earlier ones. */
export type Origin =
  'default' | 'library' | 'base' | 'file' | '--set' | '-m' | '--seed' | '--binding' | '--threshold'

/** A text that values stand in: a file, or one option of the command line as it was typed. */
export interface Source {
  origin: Origin
  /** The file's path; `command line` for an option. */
  name: string
  text: string
}

/** Half-open range of characters in a source. */
export interface Place {
  source: Source
  start: number
  end: number
}

/** Whether a source is a file, with lines that a message can name. */
export const isFile = ({ origin }: Source): boolean => ['file', 'base', 'library'].includes(origin)

/** `place` narrowed to a range counted from its start. */
export const within = (place: Place, from: number, to: number): Place => ({
  source: place.source,
  start: place.start + from,
  end: place.start + to,
})

/** Line and column as editors count them, from 1. */
export function lineAndColumn({ source, start }: Place): { line: number; column: number } {
  const before = source.text.slice(0, start).split('\n')
  return { line: before.length, column: (before.at(-1) as string).length + 1 }
}
