import { EXIT, type ExitCode } from '../exit.ts'
import type { Terminal } from '../terminal.ts'

/**
 * Does what may take long, until it is done or somebody presses Ctrl-C, which
 * ends it with one line as soon as `work` heeds its signal. Pressed again, it
 * ends the process.
 */
export async function untilInterrupted(
  work: (signal: AbortSignal) => Promise<ExitCode>,
  terminal: Terminal,
): Promise<ExitCode> {
  const stop = new AbortController()
  const interrupt = () => stop.abort()
  process.once('SIGINT', interrupt)
  try {
    return await work(stop.signal)
  } catch (error) {
    if (!stop.signal.aborted) throw error
    terminal.stderr.write('delivery-bench: interrupted, nothing was written\n')
    return EXIT.interrupted
  } finally {
    process.off('SIGINT', interrupt)
  }
}
