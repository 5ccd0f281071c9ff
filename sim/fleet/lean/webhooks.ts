/** The posts of the lean agent to one webhook; the rules are those of the imitation agent's. */
import type { Cancel } from '../../kernel/clock.ts'
import type { RandomStream } from '../../kernel/random.ts'
import type { BegunTask } from '../../mechanisms/mechanism.ts'
import { createBackoff, type BackoffInMotion } from '../../policies/backoff.ts'
import type { PushSending } from '../../policies/policy.ts'
import { isInterrupted } from '../../protocol/states.ts'
import type { Asker } from './exchange.ts'
import type { Customer, LeanRequest } from './messages.ts'
import type { LeanUpdate } from './moments.ts'
import type { Begun } from './network.ts'
import type { LeanSizes } from './sizes.ts'
import type { LeanWebhook, TaskWorld } from './task.ts'
import type { LeanClock } from './time.ts'

export interface PostWorld {
  clock: LeanClock
  busy: TaskWorld['busy']
  /** How posts leave. */
  send: (request: LeanRequest, asker: Asker) => Begun
  /** The chance in the waits between attempts. */
  retryChance: RandomStream
}

export interface WebhookLife {
  customer: Customer
  task: BegunTask
  /** The instant from which there is nothing to post about any more. */
  untilUs(): number
  /** Takes the webhook's configuration away. */
  remove(): void
}

/** One post with all its attempts. */
interface Delivery {
  backoff: BackoffInMotion
  beganUs: number
  isForgotten: boolean
  /** Ends a wait between two attempts, forgotten. */
  wakeUp: (() => void) | undefined
  ended(how: 'delivered' | 'given up' | 'forgotten'): void
}

export function openLeanWebhook(
  { url, sending, sizes }: { url: string; sending: PushSending; sizes: LeanSizes },
  { clock, busy, send, retryChance }: PostWorld,
  life: WebhookLife,
): LeanWebhook {
  const timeoutUs = sending.retry.timeoutUs ?? sending.timeoutUs
  const waiting: { update: LeanUpdate; number: number }[] = []
  const underWay = new Set<Delivery>()
  let isBusy = false
  let closed = false
  let failedInARow = 0

  function attempt(delivery: Delivery, update: LeanUpdate, number: number): void {
    if (clock.nowUs() >= life.untilUs()) {
      delivery.ended('forgotten')
      return
    }
    let begun: Begun | undefined
    let status: number | undefined
    let retryAfterUs = 0
    let isOver = false
    const relax: Cancel = clock.at(clock.nowUs() + timeoutUs, () => {
      if (isOver) return
      isOver = true
      begun?.letGo()
      failed(0)
    })
    function failed(leastUs: number): void {
      isOver = true
      relax()
      if (delivery.isForgotten) {
        delivery.ended('forgotten')
        return
      }
      const waitUs = delivery.backoff.next(clock.nowUs() - delivery.beganUs)
      if (waitUs === undefined) {
        delivery.ended('given up')
        return
      }
      const pauseUs = Math.max(waitUs, leastUs)
      if (clock.nowUs() + pauseUs >= life.untilUs()) {
        delivery.ended('forgotten')
        return
      }
      const cancel = clock.at(clock.nowUs() + pauseUs, () => {
        delivery.wakeUp = undefined
        life.customer.journal.append({ kind: 'retry', atUs: clock.nowUs(), operation: 'webhook' })
        attempt(delivery, update, number)
      })
      delivery.wakeUp = () => {
        cancel()
        clock.soon(() => delivery.ended('forgotten'))
      }
    }
    const asker: Asker = {
      head(head) {
        status = head.status
        if (status === 429 || status === 503) retryAfterUs = head.retryAfterUs ?? 0
      },
      piece() {},
      end() {
        if (isOver) return
        if (status === undefined || status < 200 || status >= 300) {
          failed(retryAfterUs)
          return
        }
        isOver = true
        relax()
        delivery.ended(delivery.isForgotten ? 'forgotten' : 'delivered')
      },
      broke() {
        if (!isOver) failed(0)
      },
    }
    const request: LeanRequest = {
      customer: life.customer,
      operation: 'webhook',
      octets: sizes.post(number),
      webhook: url,
      post: { change: update.change, task: life.task },
    }
    // What else the agent does at this instant by itself comes first.
    clock.soon(() =>
      clock.soon(() => {
        if (!isOver) begun = send(request, asker)
      }),
    )
  }

  function deliver(update: LeanUpdate, number: number, done: () => void): void {
    const delivery: Delivery = {
      backoff: createBackoff(sending.retry, retryChance),
      beganUs: clock.nowUs(),
      isForgotten: false,
      wakeUp: undefined,
      ended(how) {
        underWay.delete(delivery)
        if (how === 'delivered') failedInARow = 0
        else if (how === 'given up') {
          failedInARow += 1
          if (sending.giveUp === 'remove' || failedInARow === sending.disableAfter) giveUpForGood()
        }
        done()
      },
    }
    underWay.add(delivery)
    attempt(delivery, update, number)
  }

  /** One post after the other, until none waits. */
  function sendNext(memory: object): void {
    const next = memory === remembered ? waiting.shift() : undefined
    if (next !== undefined) {
      deliver(next.update, next.number, () => sendNext(memory))
      return
    }
    if (memory === remembered) isBusy = false
    busy(-1)
  }

  /** Another one once everything was forgotten. */
  let remembered = {}

  function giveUpForGood(): void {
    if (closed) return
    life.customer.journal.append({ kind: 'removed', atUs: clock.nowUs() })
    life.remove()
  }

  function forget(): void {
    waiting.length = 0
    isBusy = false
    remembered = {}
    for (const delivery of underWay) {
      delivery.isForgotten = true
      const { wakeUp } = delivery
      delivery.wakeUp = undefined
      wakeUp?.()
    }
  }

  return {
    post(update, number) {
      if (closed || !isWanted(update, sending.events)) return
      if (!sending.ordered) {
        busy(1)
        deliver(update, number, () => busy(-1))
        return
      }
      waiting.push({ update, number })
      if (isBusy) return
      isBusy = true
      busy(1)
      sendNext(remembered)
    },
    forget,
    close() {
      closed = true
      forget()
    },
  }
}

function isWanted({ of, terminal, state }: LeanUpdate, wanted: PushSending['events']): boolean {
  switch (wanted) {
    case 'all':
      return true
    case 'status':
      return of === 'status'
    case 'pauses-and-final':
      return of === 'status' && (isInterrupted(state) || terminal)
    case 'final':
      return terminal
  }
}
