/** What is wrong with a scenario, for the person who can mend it. */
import { isFile, lineAndColumn, type Place } from './place.ts'

/** The line a problem is in, and which part of it is meant. */
export interface Excerpt {
  text: string
  /** Characters before the mark, and under it. */
  before: number
  length: number
}

export interface Problem {
  /** The file, or `command line`. */
  file: string
  /** From 1; absent where the whole file is meant, or an option. */
  line?: number
  column?: number
  message: string
  /** What is allowed, or what to try: one sentence a line. */
  hints: readonly string[]
  excerpt?: Excerpt
}

/** A scenario that cannot be run, with everything that is wrong with it. */
export class ScenarioError extends Error {
  readonly problems: readonly Problem[]

  constructor(problems: readonly Problem[]) {
    super(formatProblems(problems))
    this.name = 'ScenarioError'
    this.problems = problems
  }
}

/** A problem of a place. The text's first line says what is wrong, further lines what is allowed. */
export function problemAt(place: Place, text: string): Problem {
  const [message = '', ...hints] = text.split('\n')
  const { line, column } = lineAndColumn(place)
  const lineStart = place.start - (column - 1)
  const written = (place.source.text.slice(lineStart).split('\n', 1)[0] as string)
    .replace(/\r$/, '')
    // What would move the cursor of a terminal, and the mark with it.
    .replaceAll(/(?!\t)\p{Cc}/gu, '·')
  const excerpt = {
    text: written,
    before: column - 1,
    // A mark ends with its line, and is there even where nothing stands.
    length: Math.max(1, Math.min(place.end - place.start, written.length - (column - 1))),
  }
  return {
    file: place.source.name,
    ...(isFile(place.source) ? { line, column } : {}),
    message,
    hints,
    excerpt,
  }
}

/** A problem of a file as a whole. */
export function problemOfFile(file: string, text: string): Problem {
  const [message = '', ...hints] = text.split('\n')
  return { file, message, hints }
}

/**
 * One block for each problem:
 *
 *     scenarios/mine.yaml:2:3: unknown key duraton: did you mean duration?
 *          2 |   duraton: 20s
 *            |   ^^^^^^^
 *            allowed: duration, message, updates, outcome, result
 */
export const formatProblems = (problems: readonly Problem[]): string => problems.map(format).join('\n')

const MARGIN = ' '.repeat(7)

function format({ file, line, column, message, hints, excerpt }: Problem): string {
  const lines = [
    line === undefined
      ? excerpt
        ? `${file}: ${message}`
        : message
      : `${file}:${line}:${column}: ${message}`,
  ]
  if (excerpt) {
    const { text, before, length } = shortened(excerpt)
    lines.push(`${line === undefined ? MARGIN : `${String(line).padStart(6)} `}| ${text}`)
    // Tabs stay tabs, so that the mark stands under what it means.
    lines.push(`${MARGIN}| ${text.slice(0, before).replaceAll(/[^\t]/g, ' ')}${'^'.repeat(length)}`)
  }
  lines.push(...hints.map((hint) => `${MARGIN}${hint}`))
  return lines.join('\n')
}

/** Generated files may hold everything in one line: then only the surroundings of the mark are shown. */
function shortened({ text, before, length }: Excerpt): Excerpt {
  const width = 100
  if (text.length <= width) return { text, before, length }
  const from = Math.max(0, Math.min(before - 30, text.length - width))
  const head = from > 0 ? '…' : ''
  const tail = from + width < text.length ? '…' : ''
  return {
    text: `${head}${text.slice(from, from + width)}${tail}`,
    before: before - from + head.length,
    length: Math.min(length, from + width - before),
  }
}

/** Files in the order they were read, in each from top to bottom; the same problem of the same place once. */
export function inOrder(problems: readonly Problem[]): Problem[] {
  const files = [...new Set(problems.map((problem) => problem.file))]
  const once = new Map(problems.map((problem) => [JSON.stringify(problem), problem]))
  return [...once.values()].sort(
    (a, b) =>
      files.indexOf(a.file) - files.indexOf(b.file) ||
      (a.line ?? 0) - (b.line ?? 0) ||
      (a.column ?? 0) - (b.column ?? 0),
  )
}
