/**
 * The one way into a worker, for sources, tests and the package alike: plain
 * JavaScript that loads a module, and answers each input with what the module's
 * default export makes of it and of what all workers share. A module in
 * TypeScript gets its loader first, because workers inherit none that works; in
 * the package it is a `.js`.
 */
import { workerData } from 'node:worker_threads'

const { module, shared } = workerData

// Begun once, when the worker starts; a module that cannot be loaded fails the input that needs it.
const loading = load()
loading.catch(() => {})

async function load() {
  if (new URL(module).pathname.endsWith('.ts')) {
    const { register } = await import('tsx/esm/api')
    register()
  }
  const { default: run } = await import(module)
  return run
}

export default async function answer({ input }) {
  const run = await loading
  return run(input, shared)
}
