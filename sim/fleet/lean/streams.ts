/** A stream of the lean agent: what it writes, and when. */
import type { Cancel } from '../../kernel/clock.ts'
import { drawUs } from '../../kernel/distribution.ts'
import type { RandomStream } from '../../kernel/random.ts'
import { US_PER_MS } from '../../kernel/units.ts'
import { commentOf } from '../../protocol/sse.ts'
import type { StreamingSettings } from '../../scenario/scenario.ts'
import type { OpenAnswers } from './agent.ts'
import type { Reply } from './exchange.ts'
import { type LeanHead, type LeanPiece, pieceOf } from './messages.ts'
import type { LeanUpdate } from './moments.ts'
import type { LeanSizes } from './sizes.ts'
import type { LeanTask } from './task.ts'
import type { LeanClock } from './time.ts'

export interface StreamWorld {
  clock: LeanClock
  openAnswers: OpenAnswers
  lifetimes: RandomStream
  sizes: LeanSizes
}

const STREAM_HEAD: LeanHead = {
  status: 200,
  says: { of: 'stream' },
  hintUs: undefined,
  retryAfterUs: undefined,
  etag: undefined,
}

/** What of a body is there when its head leaves travels with that, up to so many pieces: as much as a wire reads in that time. */
const MOST_WITH_HEAD = 7

/**
 * A task from now on: its snapshot, or what a reader missed; then every update,
 * and the end right after the terminal one. The rules are those of the
 * imitation agent's streams.
 */
export function openLeanStream(
  task: LeanTask,
  missed: readonly { number: number; position: number }[] | undefined,
  settings: StreamingSettings,
  { clock, openAnswers, lifetimes, sizes }: StreamWorld,
  reply: Reply,
  saysLater: boolean,
): void {
  const { heartbeat, flush, replayUs, lifetime, retryHintUs, buffer, closeOnInput } = settings
  const { updates } = task.job.moments
  let isOpen = true
  let begun = false
  let nextBeatUs: number | undefined
  let calm: Cancel = () => {}
  const leavings: (() => void)[] = []

  // What is written

  /** Written and not read yet: nothing of it has left. */
  const written: LeanPiece[] = []
  let ending: 'ends' | 'breaks off' | undefined
  let headHasLeft = false
  let readsSoon = false

  function read(): void {
    readsSoon = false
    for (const piece of written.splice(0)) reply.write(piece)
    if (ending === 'ends') reply.end()
    else if (ending === 'breaks off') reply.breakOff()
  }

  function readSoon(): void {
    if (!headHasLeft || readsSoon) return
    readsSoon = true
    clock.soon(read)
  }

  function sendHead(): void {
    const first = written.splice(0, MOST_WITH_HEAD)
    const isAll = written.length === 0 && ending === 'ends'
    headHasLeft = true
    reply.open(STREAM_HEAD, first, isAll)
    if (!isAll && (written.length > 0 || ending !== undefined)) readSoon()
  }

  function leave(): void {
    isOpen = false
    calm()
    for (const leaving of leavings) leaving()
  }

  function end(): void {
    leave()
    ending ??= 'ends'
    readSoon()
    leaveHead()
  }

  /** False if there was no room: then the stream is closed. */
  function send(piece: LeanPiece): boolean {
    // A reader that waits takes the first piece at once.
    if (buffer !== undefined && written.length - (headHasLeft ? 1 : 0) >= buffer) {
      end()
      return false
    }
    written.push(piece)
    readSoon()
    return true
  }

  function tell(update: LeanUpdate | undefined, number: number, position: number): boolean {
    const retryUs =
      begun || retryHintUs === undefined ? undefined : Math.round(retryHintUs / US_PER_MS) * US_PER_MS
    begun = true
    const octets = sizes.event(update === undefined ? { of: 'task', number } : { of: 'update', number })
    return send(
      pieceOf(octets, [
        {
          of: 'event',
          says: update === undefined ? 'task' : update.happened.change,
          change: update === undefined ? { of: 'task', view: task.view() } : update.change,
          task: task.ids,
          id: replayUs > 0 ? String(position) : undefined,
          retryUs,
        },
      ]),
    )
  }

  const endsWith = ({ terminal, of, state }: LeanUpdate): boolean =>
    terminal || (closeOnInput && of === 'status' && state === 'TASK_STATE_INPUT_REQUIRED')

  // Heartbeats

  function beatIn(us: number, octets: number): void {
    calm()
    nextBeatUs = clock.nowUs() + us
    calm = clock.at(nextBeatUs, () => {
      task.catchUp()
      if (!isOpen || nextBeatUs !== clock.nowUs()) return
      if (send(pieceOf(octets, [{ of: 'heartbeat', says: wordsOfComment(octets) }]))) beatIn(us, octets)
    })
  }

  function beginToBeat(): void {
    if (heartbeat !== 'none' && isOpen) beatIn(heartbeat.everyUs, heartbeat.octets)
  }

  // The head

  let leaveHead = (): void => {}
  if (flush === 'at-once') beginToBeat()
  else
    leaveHead = () => {
      leaveHead = () => {}
      beginToBeat()
      clock.soon(sendHead)
    }

  // What there is to tell

  if (missed === undefined) tell(undefined, task.moment, task.position)
  else
    for (const { number, position } of missed)
      if (isOpen && tell(updates[number] as LeanUpdate, number, position)) leaveHead()
  const last = missed?.at(-1)
  if (isOpen && (task.isOver || (last !== undefined && endsWith(updates[last.number] as LeanUpdate)))) end()

  if (isOpen) {
    const follower = {
      told(update: LeanUpdate, number: number) {
        if (!tell(update, number, task.position)) return
        if (heartbeat !== 'none' && heartbeat.when === 'silent' && isOpen)
          beatIn(heartbeat.everyUs, heartbeat.octets)
        leaveHead()
        if (endsWith(update)) end()
      },
      deleted: () => end(),
    }
    task.followers.add(follower)
    const lifetimeUs = lifetime === undefined ? undefined : drawUs(lifetime, lifetimes)
    const cancelEnd =
      lifetimeUs === undefined
        ? undefined
        : clock.at(clock.nowUs() + lifetimeUs, () => {
            task.catchUp()
            if (isOpen) end()
          })
    const breakOff = (): void => {
      leave()
      // What nobody has read is gone.
      written.length = 0
      ending ??= 'breaks off'
      readSoon()
      leaveHead()
    }
    openAnswers.add(breakOff)
    leavings.push(
      () => task.followers.delete(follower),
      () => cancelEnd?.(),
      () => openAnswers.delete(breakOff),
    )
  }
  reply.gone = leave
  if (flush !== 'at-once') return
  if (saysLater) clock.soon(sendHead)
  else sendHead()
}

const words = new Map<number, string>()

/** What a comment of so many octets says, as who reads it tells. */
function wordsOfComment(octets: number): string {
  let said = words.get(octets)
  if (said === undefined) words.set(octets, (said = commentOf(octets).trim().slice(1).trim()))
  return said
}
