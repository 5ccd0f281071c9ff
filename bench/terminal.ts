/** Where a command speaks to: results to `stdout`, everything else to `stderr`. */
export interface Terminal {
  stdout: { write(text: string): unknown }
  stderr: { write(text: string): unknown }
  /** Width of a line; `undefined` if nobody is looking. */
  columns?: number | undefined
  /** Whether emphasis may be used. */
  colour?: boolean
}

/** Width of a line where no terminal says otherwise. */
export const USUAL_COLUMNS = 120

/** A narrower terminal, or one that calls itself 0 columns wide, breaks the lines itself. */
const COLUMNS_MIN = 40

/**
 * The terminal of this process. https://no-color.org: any value but the empty
 * one means no colour; a terminal that calls itself dumb has none.
 */
export const ownTerminal = (): Terminal => ({
  stdout: process.stdout,
  stderr: process.stderr,
  columns: process.stdout.isTTY && process.stdout.columns >= COLUMNS_MIN ? process.stdout.columns : undefined,
  colour: process.stdout.isTTY && (process.env['NO_COLOR'] ?? '') === '' && process.env['TERM'] !== 'dumb',
})
