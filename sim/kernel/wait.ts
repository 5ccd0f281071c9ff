import type { Cancel, Clock } from './clock.ts'

/** Later than any run lasts, and far enough from where whole numbers end for a clock that runs slow. */
const NEVER_US = 2 ** 52

/**
 * Says that such a wait begins.
 *
 * @returns to be called when it is over
 */
export function waitOpenly(clock: Clock, who: string): Cancel {
  const done = clock.waiting(who)
  const cancel = clock.at(Math.max(NEVER_US, clock.nowUs()), () => {})
  return () => {
    done()
    cancel()
  }
}

/** Given, because the reason an abort makes by itself costs a stack trace. */
const OVER = new Error('the wait is over')

/**
 * Waits for something that may never come: what others do, such as a webhook
 * post. Unlike a promise nobody resolves, such a wait is no deadlock; it lasts
 * to the end of the run, and the run says who waited.
 *
 * @param who for people: `the client waits for a webhook post`
 * @throws the signal's reason as soon as it aborts
 */
export async function waitFor<T>(
  clock: Clock,
  coming: Promise<T>,
  who: string,
  signal: AbortSignal,
): Promise<T> {
  const done = clock.waiting(who)
  const over = new AbortController()
  const untilTheEnd = clock
    .sleep(NEVER_US - clock.nowUs(), AbortSignal.any([signal, over.signal]))
    .then(() => coming)
  try {
    return await Promise.race([coming, untilTheEnd])
  } finally {
    done()
    over.abort(OVER)
    // It rejects now or has rejected already, and was heard of above if that mattered.
    untilTheEnd.catch(() => {})
  }
}
