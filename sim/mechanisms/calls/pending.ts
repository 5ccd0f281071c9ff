/** Calls of the official client as processes wait for them: ready when a promise settles. */
import { connect } from '../a2a-client.ts'
import type { ClientWorld } from '../a2a-world.ts'
import type { A2AClient, StreamedChange } from '../client.ts'
import type { Calls, Incoming, OpenOptions, Pending } from '../client-world.ts'

/** Given, because the reason an abort makes by itself costs a stack trace. */
const NOBODY_WAITS = new Error('nobody waits for it any more')

/**
 * One call at a time. Each line has a signal, by which its call is broken off, and
 * serves one call after another: a signal for each call would cost more than a
 * poll's way through the wire.
 */
interface Line {
  client: A2AClient
  controller: AbortController
}

/** Hears how many calls begin and end; streams are none of them. */
export type HeedCalls = (more: 1 | -1) => void

/** Calls by the client of that world, which each of them takes for ready. */
export function createCalls(world: ClientWorld, heed: HeedCalls): Calls {
  const free: Line[] = []
  let ready: A2AClient | undefined

  function client(): A2AClient {
    if (ready === undefined) throw new Error('a call was made before the client was ready: see connect()')
    return ready
  }

  function newLine(): Line {
    const controller = new AbortController()
    return { controller, client: client().until(controller.signal) }
  }

  function call<T>(make: (on: A2AClient) => Promise<T>): Pending<T> {
    const line = free.pop() ?? newLine()
    heed(1)
    return new PendingCall(make(line.client), (how) => {
      heed(-1)
      if (how === 'settled') free.push(line)
      else line.controller.abort(NOBODY_WAITS)
    })
  }

  const stream = (
    open: (options: OpenOptions & { signal: AbortSignal }) => AsyncGenerator<StreamedChange, void, undefined>,
    options: OpenOptions = {},
  ): Incoming => new IncomingStream(open, options)

  return {
    connect() {
      heed(1)
      const connecting = connect(world)
      connecting.then(
        (connected) => (ready = connected),
        () => {},
      )
      return new PendingCall(connecting, () => heed(-1))
    },
    send: (configuration, options) => call((on) => on.send(configuration, options)),
    answer: (task, message, wait) => call((on) => on.answer(task, message, wait)),
    get: (taskId, options) => call((on) => on.get(taskId, options)),
    register: (taskId, config) => call((on) => on.register(taskId, config)),
    stream: (configuration, options) => stream((all) => client().stream(configuration, all), options),
    answerStreaming: (task, message, options) =>
      stream((all) => client().answerStreaming(task, message, all), options),
    subscribe: (taskId, options) => stream((all) => client().subscribe(taskId, all), options),
  }
}

class PendingCall<T> implements Pending<T> {
  wake: (() => void) | undefined
  readonly #done: (how: 'settled' | 'abandoned') => void
  #outcome: { value: T } | { error: unknown } | undefined
  #isOver: boolean

  constructor(coming: Promise<T>, done: (how: 'settled' | 'abandoned') => void) {
    this.wake = undefined
    this.#done = done
    this.#outcome = undefined
    this.#isOver = false
    coming.then(
      (value) => this.#settle({ value }),
      (error: unknown) => this.#settle({ error }),
    )
  }

  get ready(): boolean {
    return this.#outcome !== undefined
  }

  take(): T {
    const outcome = this.#outcome
    if (outcome === undefined) throw new Error('a call was asked for its answer before it had one')
    if ('error' in outcome) throw outcome.error
    return outcome.value
  }

  abandon(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#done('abandoned')
  }

  #settle(outcome: { value: T } | { error: unknown }): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#outcome = outcome
    this.#done('settled')
    this.wake?.()
  }
}

/** Reads on as soon as an event is taken. */
class IncomingStream implements Incoming {
  wake: (() => void) | undefined
  readonly #cutting: AbortController
  readonly #events: AsyncGenerator<StreamedChange, void, undefined>
  #next: { event: StreamedChange | undefined } | { error: unknown } | undefined
  #isWanted: boolean

  constructor(
    open: (options: OpenOptions & { signal: AbortSignal }) => AsyncGenerator<StreamedChange, void, undefined>,
    { onSign, ...options }: OpenOptions,
  ) {
    this.wake = undefined
    this.#cutting = new AbortController()
    this.#next = undefined
    this.#isWanted = true
    this.#events = open({
      ...options,
      signal: this.#cutting.signal,
      onSign: (sign) => {
        if (this.#isWanted) onSign?.(sign)
      },
    })
    this.#readOn()
  }

  get ready(): boolean {
    return this.#next !== undefined
  }

  take(): StreamedChange | undefined {
    const next = this.#next
    if (next === undefined) throw new Error('a stream was asked for an event before it had one')
    if ('error' in next) throw next.error
    if (next.event === undefined) return undefined
    this.#next = undefined
    this.#readOn()
    return next.event
  }

  abandon(): void {
    this.#isWanted = false
    this.#cutting.abort(NOBODY_WAITS)
  }

  #readOn(): void {
    this.#events.next().then(
      ({ done, value }) => this.#come({ event: done === true ? undefined : (value as StreamedChange) }),
      (error: unknown) => this.#come({ error }),
    )
  }

  #come(next: { event: StreamedChange | undefined } | { error: unknown }): void {
    this.#next = next
    this.wake?.()
  }
}
