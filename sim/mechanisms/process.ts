/**
 * Processes: what a client does, written once and run by both engines. A process
 * is a generator that yields what it waits for; the replay makes that ready when
 * promises of the real client settle, the fleet engine when an event of its queue
 * comes. No process knows which of them runs it.
 */

/** Something a process can wait for. Whoever makes it ready sets `ready` first and calls `wake` then. */
export interface Waitable {
  /** Whether there is something to take. */
  readonly ready: boolean
  /** Set while a process waits for it. */
  wake: (() => void) | undefined
}

/** Yields one thing to wait for, or several of which one is enough. Goes on when one is ready; what that is, it looks up itself. */
export type Process<R> = Generator<Waitable | readonly Waitable[], R, void>

/** A process under way. Ready once it has ended. */
export interface Running<R> extends Waitable {
  /** @throws what the process threw. Only when it is ready. */
  take(): R
  /** Ends it where it waits: its `finally` blocks run, and nobody is woken. Harmless when it has ended. */
  stop(): void
}

/** Runs a process up to its first wait at once, and on from each wait as soon as it can. */
export function run<R>(process: Process<R>): Running<R> {
  let outcome: { value: R } | { error: unknown } | undefined
  let waitsFor: readonly Waitable[] = []

  const running = {
    get ready() {
      return outcome !== undefined
    },
    wake: undefined as (() => void) | undefined,
    take() {
      if (outcome === undefined) throw new Error('a process was asked for its result before it had one')
      if ('error' in outcome) throw outcome.error
      return outcome.value
    },
    stop() {
      if (outcome !== undefined) return
      letGo()
      outcome = { error: STOPPED }
      process.return(undefined as R)
    },
  }

  function letGo(): void {
    for (const waitable of waitsFor) if (waitable.wake === goOn) waitable.wake = undefined
    waitsFor = []
  }

  function goOn(): void {
    letGo()
    for (;;) {
      const waits = step()
      if (waits === undefined) return
      if (waits.some(({ ready }) => ready)) continue
      waitsFor = waits
      for (const waitable of waits) waitable.wake = goOn
      return
    }
  }

  /** Up to the next wait; `undefined` once it has ended. */
  function step(): readonly Waitable[] | undefined {
    try {
      const { done, value } = process.next()
      if (done !== true) return isList(value) ? value : [value]
      outcome = { value }
    } catch (error) {
      outcome = { error }
    }
    running.wake?.()
    return undefined
  }

  goOn()
  return running
}

const STOPPED = new Error('the process was stopped')

const isList = (value: Waitable | readonly Waitable[]): value is readonly Waitable[] => Array.isArray(value)
