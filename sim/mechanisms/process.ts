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
  /** Ends it where it waits, or if it acts just now at its next wait: its `finally` blocks run, and nobody is woken. Harmless when it has ended. */
  stop(): void
}

/** Runs a process up to its first wait at once, and on from each wait as soon as it can. */
export const run = <R>(process: Process<R>): Running<R> => new Run(process)

/** A class, because each job has one: a getter of its own would give each object a shape of its own. */
class Run<R> implements Running<R> {
  wake: (() => void) | undefined
  readonly #process: Process<R>
  readonly #goesOn: () => void
  #outcome: { value: R } | { error: unknown } | undefined
  #acts: boolean
  #isStopped: boolean
  #waitsFor: Waitable | readonly Waitable[] | undefined

  constructor(process: Process<R>) {
    this.wake = undefined
    this.#process = process
    this.#acts = false
    this.#isStopped = false
    this.#goesOn = () => this.#goOn()
    this.#goOn()
  }

  get ready(): boolean {
    return this.#outcome !== undefined
  }

  take(): R {
    const outcome = this.#outcome
    if (outcome === undefined) throw new Error('a process was asked for its result before it had one')
    if ('error' in outcome) throw outcome.error
    return outcome.value
  }

  stop(): void {
    if (this.#outcome !== undefined) return
    this.#isStopped = true
    if (!this.#acts) this.#end()
  }

  #end(): void {
    this.#letGo()
    this.#outcome = { error: STOPPED }
    this.#process.return(undefined as R)
  }

  #letGo(): void {
    const waits = this.#waitsFor
    this.#waitsFor = undefined
    if (waits === undefined) return
    if (!isList(waits)) {
      if (waits.wake === this.#goesOn) waits.wake = undefined
      return
    }
    for (const waitable of waits) if (waitable.wake === this.#goesOn) waitable.wake = undefined
  }

  #goOn(): void {
    this.#letGo()
    for (;;) {
      const waits = this.#step()
      if (waits === undefined) return
      if (this.#isStopped) {
        this.#end()
        return
      }
      if (isList(waits) ? waits.some(({ ready }) => ready) : waits.ready) continue
      this.#waitsFor = waits
      if (!isList(waits)) waits.wake = this.#goesOn
      else for (const waitable of waits) waitable.wake = this.#goesOn
      return
    }
  }

  /** Up to the next wait; `undefined` once it has ended. */
  #step(): Waitable | readonly Waitable[] | undefined {
    this.#acts = true
    try {
      const { done, value } = this.#process.next()
      this.#acts = false
      if (done !== true) return value
      this.#outcome = { value }
    } catch (error) {
      this.#acts = false
      this.#outcome = { error }
    }
    this.wake?.()
    return undefined
  }
}

const STOPPED = new Error('the process was stopped')

const isList = (value: Waitable | readonly Waitable[]): value is readonly Waitable[] => Array.isArray(value)
