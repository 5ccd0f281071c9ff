/**
 * Turns of Node's real event loop. The kernel takes one after everything that
 * happens in virtual time: by then Node has run every microtask and every
 * `nextTick`, so code that does no real input or output has come to rest.
 *
 * The two guards of the test suite look in here, and nothing else does: one
 * asks whose an immediate is, the other makes turns slow.
 */

// Taken at load: this one stays real while foreign code sees virtual time.
const realSetImmediate = setImmediate

let asking = false
let pause: (() => Promise<void>) | undefined

/** Resolves after one turn of the real event loop. */
export function realTurn(): Promise<void> {
  const turn = oneTurn()
  return pause === undefined ? turn : turn.then(pause).then(oneTurn)
}

function oneTurn(): Promise<void> {
  return new Promise((resolve) => {
    asking = true
    realSetImmediate(resolve)
    asking = false
  })
}

/** For the test suite: true while the kernel itself creates the immediate of a turn. */
export const isKernelsOwnImmediate = (): boolean => asking

/**
 * For the test suite: makes every turn wait for `pauseEachTurn` and a second
 * turn while `run` goes on. A run without hidden work cannot tell the difference.
 */
export async function withSlowTurns<T>(
  pauseEachTurn: () => Promise<void>,
  run: () => Promise<T>,
): Promise<T> {
  pause = pauseEachTurn
  try {
    return await run()
  } finally {
    pause = undefined
  }
}
