/**
 * Mechanisms in the world of a real client: their calls are those of the official
 * one, and what they wait for is ready when its promises settle.
 */
import type { Cancel, Clock } from '../kernel/clock.ts'
import { waitOpenly } from '../kernel/wait.ts'
import type { Policy } from '../policies/policy.ts'
import type { ClientWorld } from './a2a-world.ts'
import { createCalls, type HeedCalls } from './calls/pending.ts'
import { postOf } from './calls/post-of.ts'
import { watchSends } from './calls/sends.ts'
import type { Inbox, Post, ProcessWorld, Timer } from './client-world.ts'
import { createErrands } from './errands.ts'
import { processOf } from './index.ts'
import type { Ending } from './mechanism.ts'
import { type Process, run } from './process.ts'

/**
 * Begins a job with one policy alone.
 *
 * @throws ClientError if the client meets an error it was not made for
 * @throws the reason of the world's signal once that aborts
 */
export const runMechanism = (world: ClientWorld, policy: Policy): Promise<Ending> =>
  runProcess(world, (its) => processOf(its, policy))

/** Runs a process to its end. What it has begun beside may outlive it, but not the world's signal. @throws what the process throws, and as above */
export function runProcess<R>(world: ClientWorld, process: (world: ProcessWorld) => Process<R>): Promise<R> {
  const { signal } = world
  const waits = createPostWaits(world.clock)
  const errands = createErrands(run)
  const openInbox = (): Inbox => {
    waits.opened()
    return createInbox(world, () => waits.closed())
  }
  return new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const running = run(process(processWorld(world, { errand: errands.begin, openInbox }, waits.heedCalls)))
    function end(): void {
      waits.over()
      try {
        resolve(running.take())
      } catch (error) {
        reject(error)
      }
    }
    function breakOff(): void {
      waits.over()
      running.stop()
      errands.stop()
      reject(signal.reason)
    }
    if (running.ready) end()
    else running.wake = end
    signal.addEventListener('abort', breakOff, { once: true })
  })
}

function processWorld(
  world: ClientWorld,
  own: Pick<ProcessWorld, 'errand' | 'openInbox'>,
  heedCalls: HeedCalls,
): ProcessWorld {
  const { clock, card } = world
  return {
    ...own,
    ...createCalls(world, heedCalls),
    nowUs: () => clock.nowUs(),
    timer: (atUs, last = false) => new ClockTimer(clock, atUs, last),
    offers: {
      streaming: card.capabilities.streaming === true,
      push: card.capabilities.pushNotifications === true,
    },
    observe: (...seen) => world.observe(...seen),
    random: (purpose) => world.random(purpose),
    handOver: (to, reason) => world.handOver(to, reason),
    watchingSends() {
      const { fetch, mayHaveBegun } = watchSends(world.fetch)
      return { world: processWorld({ ...world, fetch }, own, heedCalls), mayHaveBegun }
    },
  }
}

/**
 * Who waits for posts alone may wait for ever, and that is no deadlock. Who waits
 * for the answer to a call must get one.
 */
function createPostWaits(clock: Clock) {
  let inboxes = 0
  let calls = 0
  let isOver = false
  let done: Cancel | undefined

  function heed(): void {
    const waits = inboxes > 0 && calls === 0 && !isOver
    if (waits === (done !== undefined)) return
    if (waits) done = waitOpenly(clock, 'the client waits for a webhook post')
    else {
      done?.()
      done = undefined
    }
  }

  return {
    opened() {
      inboxes += 1
      heed()
    },
    closed() {
      inboxes -= 1
      heed()
    },
    heedCalls: ((more) => {
      calls += more
      if (inboxes > 0) heed()
    }) satisfies HeedCalls,
    over() {
      isOver = true
      heed()
    },
  }
}

class ClockTimer implements Timer {
  ready: boolean
  wake: (() => void) | undefined
  cancel: Cancel

  constructor(clock: Clock, atUs: number, last: boolean) {
    this.ready = false
    this.wake = undefined
    const dueUs = Math.max(atUs, clock.nowUs())
    const ring = (): void => {
      this.ready = true
      this.wake?.()
    }
    // What is scheduled for that instant already goes first.
    const ringLast = (): void => {
      this.cancel = clock.at(dueUs, ring)
    }
    this.cancel = clock.at(dueUs, last ? ringLast : ring)
  }
}

function createInbox(world: ClientWorld, closed: () => void): Inbox {
  const posts: Post[] = []
  let isOpen = true
  const inbox: Inbox = {
    get ready() {
      return posts.length > 0
    },
    wake: undefined,
    config: world.receive((body, exchange) => {
      const post = isOpen ? postOf(body, exchange) : undefined
      if (post === undefined) return
      posts.push(post)
      inbox.wake?.()
    }),
    take() {
      const post = posts.shift()
      if (post === undefined) throw new Error('an inbox was asked for a post before it had one')
      return post
    },
    close() {
      if (!isOpen) return
      isOpen = false
      posts.length = 0
      closed()
    },
  }
  return inbox
}
