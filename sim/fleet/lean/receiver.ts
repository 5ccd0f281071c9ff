/** The client's webhook host in the lean world; the rules are those of the replay's receiver. */
import { drawUs } from '../../kernel/distribution.ts'
import type { RandomStream } from '../../kernel/random.ts'
import type { ReceiverSettings } from '../../scenario/scenario.ts'
import type { LeanHost } from './exchange.ts'
import type { LeanHead, LeanPost } from './messages.ts'
import type { NumberedChange } from './moments.ts'
import type { LeanClock } from './time.ts'

export interface LeanReceiver extends LeanHost {
  /** Opens an address. */
  open(address: Address): string
  /** Whether no post is being worked on. */
  isIdle(): boolean
}

export interface Address {
  /** Takes what a post brought once it has been worked on. */
  accept: (post: LeanPost, exchange: number) => void
  /** Whether its client has read the id of its task. */
  knowsTask: () => boolean
}

export interface ReceiverWorld {
  clock: LeanClock
  random: (purpose: string) => RandomStream
}

export function createLeanReceiver(
  settings: ReceiverSettings | 'none',
  { clock, random }: ReceiverWorld,
): LeanReceiver {
  const addresses = new Map<string, Address>()
  const had = new Set<string>()
  const waiting: (() => void)[] = []
  let chance: RandomStream | undefined
  let busy = 0
  let working = 0

  /** A chunk has nothing to tell it by: two that read alike may be one that came twice, so none is taken for a repeat. */
  function isRepeat({ change, task }: LeanPost): boolean {
    if (change.of === 'artifact') return false
    const key = `${task.taskId} ${(change as NumberedChange).update}`
    if (had.has(key)) return true
    had.add(key)
    return false
  }

  return {
    party: 'receiver',
    open(address) {
      const url = `https://client.example/hooks/${addresses.size + 1}`
      addresses.set(url, address)
      return url
    },
    isIdle: () => working === 0,
    serve({ webhook, post }, reply, exchange) {
      if (settings === 'none') {
        reply.refuse()
        return
      }
      const address = addresses.get(webhook ?? '')
      const { answer, service, handlers = Infinity, queue = Infinity, accepts, dedupe } = settings
      if (address === undefined || post === undefined || (accepts === 'known' && !address.knowsTask())) {
        reply.whole(headOf(404))
        return
      }
      if (busy >= handlers && waiting.length >= queue) {
        reply.whole(headOf(503))
        return
      }
      const done = (): void => {
        const next = waiting.shift()
        if (next === undefined) busy -= 1
        else clock.soon(next)
        working -= 1
        // What else comes at this instant goes side by side with it.
        const answersLater = clock.pending() > 0
        if (answersLater) clock.soon(() => reply.whole(headOf(answer)))
        // Who answers with an error has not taken the post.
        if (answer >= 200 && answer < 300 && !(dedupe && isRepeat(post))) address.accept(post, exchange)
        if (!answersLater) reply.whole(headOf(answer))
      }
      const begin = (): void => {
        const serviceUs = drawUs(service, (chance ??= random('receiver service')))
        if (serviceUs > 0) clock.at(clock.nowUs() + serviceUs, done)
        else done()
      }
      working += 1
      if (busy >= handlers) waiting.push(begin)
      else {
        busy += 1
        begin()
      }
    },
  }
}

const heads = new Map<number, LeanHead>()

function headOf(status: number): LeanHead {
  let head = heads.get(status)
  if (head === undefined)
    heads.set(
      status,
      (head = { status, says: { of: 'done' }, hintUs: undefined, retryAfterUs: undefined, etag: undefined }),
    )
  return head
}
