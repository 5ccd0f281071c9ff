/**
 * Two guards against hidden work: anything a run waits for that virtual time
 * does not drive (files, sockets, WebCrypto, `import()`). Its answer comes after
 * some real time, so at an instant that depends on the machine.
 *
 * Use both. The first sees what Node's async_hooks report, which is not all:
 * the compiler of WebAssembly, for one, reports nothing. The second sees any
 * work that takes longer than a turn of the event loop, unless it is quick by
 * luck or its instant makes no difference to the outcome.
 */
import { AsyncLocalStorage, createHook } from 'node:async_hooks'
import { inspect, isDeepStrictEqual } from 'node:util'
import { isKernelsOwnImmediate, withSlowTurns } from '../kernel/turn.ts'

/** What comes to rest within a turn of the event loop, whatever the machine does. */
const HARMLESS = ['PROMISE', 'Microtask', 'TickObject']

/**
 * Fails, naming the types, if `run` or anything it starts creates an
 * asynchronous resource that needs real time.
 *
 * @param alsoHarmless further types this run may create, such as `HTTPCLIENTREQUEST` of an intercepted client that never opens a socket
 */
export async function guardAgainstHiddenWork<T>(
  run: () => Promise<T>,
  alsoHarmless: readonly string[] = [],
): Promise<T> {
  const harmless = new Set([...HARMLESS, ...alsoHarmless])
  const hidden = new Map<string, number>()
  // Tells what this run starts from what the test runner does meanwhile.
  const withinRun = new AsyncLocalStorage<true>()
  const hook = createHook({
    init(_id, type) {
      if (harmless.has(type) || withinRun.getStore() === undefined) return
      if (type === 'Immediate' && isKernelsOwnImmediate()) return
      hidden.set(type, (hidden.get(type) ?? 0) + 1)
    },
  })
  hook.enable()
  const outcome = await withinRun.run(true, () => outcomeOf(run))
  hook.disable()
  if (hidden.size > 0) {
    const found = [...hidden].map(([type, count]) => `${type} (${count})`).join(', ')
    throw new Error(
      `hidden work: the run created ${found}, which virtual time does not wait for. ` +
        'Do it before the run begins, or without real input and output.',
      // A deadlock is often its consequence, not a second fault.
      'thrown' in outcome ? { cause: outcome.thrown } : undefined,
    )
  }
  if ('thrown' in outcome) throw outcome.thrown
  return outcome.value
}

/** Taken at load: this one stays real while a run goes on. */
const realSetTimeout = setTimeout

/**
 * Does the same run twice, the second time with `pauseMs` of real time in each
 * step, and fails if the outcomes differ in any way. An error is an outcome: a
 * run that fails the same way both times throws that error.
 *
 * @param run must build everything anew, and give plain data that tells one course of events from another
 */
export async function sameAtEverySpeed<T>(run: () => Promise<T>, pauseMs = 5): Promise<T> {
  const pause = (): Promise<void> =>
    new Promise((resolve) => {
      realSetTimeout(resolve, pauseMs)
    })
  const fast = await outcomeOf(run)
  const slow = await outcomeOf(() => withSlowTurns(pause, run))
  if (!isDeepStrictEqual(comparable(fast), comparable(slow)))
    throw new Error(
      'hidden work: the outcome depends on how much real time a step takes.\n' +
        `at full speed: ${inspect(comparable(fast), { depth: 8 })}\n` +
        `with ${pauseMs} ms for each step: ${inspect(comparable(slow), { depth: 8 })}`,
    )
  if ('thrown' in fast) throw fast.thrown
  return fast.value
}

type Outcome<T> = { value: T } | { thrown: unknown }

async function outcomeOf<T>(run: () => Promise<T>): Promise<Outcome<T>> {
  try {
    return { value: await run() }
  } catch (thrown) {
    return { thrown }
  }
}

/** Errors count by what they say: their stacks differ between two runs. */
function comparable<T>(outcome: Outcome<T>): unknown {
  return 'thrown' in outcome ? { thrown: String(outcome.thrown) } : outcome
}
