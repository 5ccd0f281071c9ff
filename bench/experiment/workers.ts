import { Worker } from 'node:worker_threads'

/** What a worker says to one input. */
type Answer<Output> = { number: number; output: Output } | { number: number; error: unknown }

/**
 * Runs a module's default export on each input, spread over `count` threads;
 * outputs come in the order of the inputs. Inputs and outputs must be plain
 * data: they are copied from thread to thread.
 *
 * @param module built with the ending of the calling file, so that it names the
 *   source in development and the compiled file in the package
 * @param ended called with each output as it comes: not in the order of the inputs
 * @throws whatever the module throws, for the first input that fails
 */
export async function runInWorkers<Input, Output>(
  module: URL,
  inputs: readonly Input[],
  count: number,
  ended: (output: Output, number: number) => void = () => {},
): Promise<Output[]> {
  const outputs: Output[] = []
  const waiting = inputs.entries()
  const workers = Array.from({ length: Math.min(count, inputs.length) }, () => startWorker(module))
  try {
    await Promise.all(
      workers.map(async (worker) => {
        for (const [number, input] of waiting) {
          const output = await ask<Input, Output>(worker, number, input)
          outputs[number] = output
          ended(output, number)
        }
      }),
    )
  } finally {
    await Promise.all(workers.map((worker) => worker.terminate()))
  }
  return outputs
}

const startWorker = (module: URL): Worker =>
  new Worker(new URL('./worker-entry.mjs', import.meta.url), {
    workerData: { module: module.href },
    execArgv: [],
  })

function ask<Input, Output>(worker: Worker, number: number, input: Input): Promise<Output> {
  return new Promise((resolve, reject) => {
    const settle = () => worker.off('message', onMessage).off('error', onError).off('exit', onExit)
    const onMessage = (answer: Answer<Output>) => {
      settle()
      if ('error' in answer) reject(answer.error as Error)
      else resolve(answer.output)
    }
    const onError = (error: Error) => {
      settle()
      reject(error)
    }
    const onExit = (code: number) => onError(new Error(`a worker ended with code ${code} before it answered`))
    worker.on('message', onMessage).on('error', onError).on('exit', onExit)
    worker.postMessage({ number, input })
  })
}
