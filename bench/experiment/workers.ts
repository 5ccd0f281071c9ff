import { fileURLToPath } from 'node:url'

export interface Sharing<Output> {
  /** How many threads; no more are started than there are inputs. */
  workers: number
  /** What every input needs: copied once for each thread, and handed to the module beside the input. */
  shared?: unknown
  /** Called with each output as it comes: not in the order of the inputs. */
  ended?: (output: Output, number: number) => void
  /** Ends the threads in the middle of their work. */
  signal?: AbortSignal | undefined
}

/**
 * Runs a module's default export on each input, spread over threads; outputs
 * come in the order of the inputs. Inputs and outputs must be plain data: they
 * are copied from thread to thread.
 *
 * @param module built with the ending of the calling file, so that it names the
 *   source in development and the compiled file in the package
 * @throws whatever the module throws first; the reason of `signal` if that fires
 */
export async function runInWorkers<Input, Output>(
  module: URL,
  inputs: readonly Input[],
  { workers, shared, ended = () => {}, signal }: Sharing<Output>,
): Promise<Output[]> {
  if (inputs.length === 0) return []
  // Loaded only now: most commands need no thread, and it takes longer than they do.
  const { Piscina } = await import('piscina')
  signal?.throwIfAborted()
  const threads = Math.min(workers, inputs.length)
  const pool = new Piscina({
    filename: fileURLToPath(new URL('./worker-entry.mjs', import.meta.url)),
    workerData: { module: module.href, shared },
    minThreads: threads,
    maxThreads: threads,
    execArgv: [],
  })
  const stop = () => void pool.destroy()
  signal?.addEventListener('abort', stop)
  try {
    return await Promise.all(
      inputs.map(async (input, number) => {
        const output = (await pool.run({ input })) as Output
        ended(output, number)
        return output
      }),
    )
  } catch (error) {
    signal?.throwIfAborted()
    throw error
  } finally {
    signal?.removeEventListener('abort', stop)
    await pool.destroy()
  }
}
