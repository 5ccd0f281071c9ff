/**
 * The one way into a worker, for sources, tests and the package alike: plain
 * JavaScript that loads a module and answers each message with what the
 * module's default export makes of it. A module in TypeScript gets its loader
 * first, because workers inherit none that works; in the package it is a `.js`.
 */
import { parentPort, workerData } from 'node:worker_threads'

if (new URL(workerData.module).pathname.endsWith('.ts')) {
  const { register } = await import('tsx/esm/api')
  register()
}
const { default: run } = await import(workerData.module)

parentPort.on('message', async ({ number, input }) => {
  try {
    parentPort.postMessage({ number, output: await run(input) })
  } catch (error) {
    parentPort.postMessage({ number, error })
  }
})
