import type { Cancel, Clock } from '../kernel/clock.ts'
import { drawUs } from '../kernel/distribution.ts'
import type { RandomStream } from '../kernel/random.ts'
import { US_PER_MS } from '../kernel/units.ts'
import type { StreamResponse, Task } from '../protocol/a2a.ts'
import { commentOf, type EventLines } from '../protocol/sse.ts'
import { isTerminal } from '../protocol/states.ts'
import type { StreamingSettings } from '../scenario/scenario.ts'
import { type Agenda, NEVER_US } from './agenda.ts'
import type { OpenAnswers } from './open-answers.ts'
import type { LoggedEvent, TaskLog } from './task-log.ts'

const ENCODER = new TextEncoder()

export interface StreamWorld {
  clock: Clock
  agenda: Agenda
  openAnswers: OpenAnswers
  /** How long streams live. */
  lifetimes: RandomStream
}

/** Writes one event as the binding does, with the lines that go before it. */
export type Frame = (event: StreamResponse, lines: EventLines) => string

/** The other end of a stream. */
export interface StreamReader {
  gone: (() => AbortSignal) | undefined
  /** Called when the stream has ended, however it did; may be called again. */
  left?: (() => void) | undefined
}

/** How a stream begins. */
export type Opening = { of: 'snapshot'; task: Task } | { of: 'replay'; events: readonly LoggedEvent[] }

export interface OpenStream {
  body: ReadableStream<Uint8Array>
  /** When the head of the answer leaves; `undefined` for at once. */
  head: Promise<void> | undefined
}

/**
 * What a reader missed since its last event; `undefined` if that cannot be told
 * any more or never could, for it was too long ago or is none of this task's.
 */
export function missedSince(
  lastEventId: string | undefined,
  log: TaskLog,
  { replayUs }: Pick<StreamingSettings, 'replayUs'>,
  nowUs: number,
): readonly LoggedEvent[] | undefined {
  if (replayUs === 0 || lastEventId === undefined || !/^\d{1,15}$/.test(lastEventId)) return undefined
  const position = Number(lastEventId)
  if (position === 0 || position > log.position()) return undefined
  const missed = log.updatesAfter(position)
  return missed.every(({ atUs }) => atUs >= nowUs - replayUs) ? missed : undefined
}

/**
 * A task from now on: its snapshot, or what a reader missed; then every update
 * as it is made, one chunk each, and the end right after the terminal one. A
 * reader that goes away only takes itself off the list.
 *
 * The agent's changes come before its own clocks: an update at the instant of a
 * heartbeat or of the lifetime's end goes first, and a stream that it ends gets
 * neither. The lifetime counts from the opening, heartbeats from when the head
 * leaves. Where the head waits for the first update, the snapshot waits with it.
 */
export function openStream(
  log: TaskLog,
  opening: Opening,
  frame: Frame,
  settings: StreamingSettings,
  { clock, agenda, openAnswers, lifetimes }: StreamWorld,
  { gone, left }: StreamReader,
): OpenStream {
  const { heartbeat, flush, replayUs, lifetime, retryHintUs, buffer, closeOnInput } = settings
  let controller!: ReadableStreamDefaultController<Uint8Array>
  const body = new ReadableStream<Uint8Array>(
    { start: (itsController) => void (controller = itsController), cancel: () => leave() },
    buffer === undefined ? undefined : { highWaterMark: buffer },
  )

  let isOpen = true
  let begun = false
  let nextBeatUs: number | undefined
  let calm: Cancel = () => {}
  const leavings: (() => void)[] = [() => calm(), () => left?.()]

  function leave(): void {
    isOpen = false
    for (const leaving of leavings) leaving()
  }

  function end(): void {
    leave()
    controller.close()
    leaveHead()
  }

  /** False if there was no room: then the stream is closed. */
  function send(text: string): boolean {
    if (buffer !== undefined && (controller.desiredSize ?? 0) <= 0) {
      end()
      return false
    }
    controller.enqueue(ENCODER.encode(text))
    return true
  }

  function tell(event: StreamResponse, position: number): boolean {
    const lines = {
      retryMs: begun || retryHintUs === undefined ? undefined : Math.round(retryHintUs / US_PER_MS),
      id: replayUs > 0 ? String(position) : undefined,
    }
    begun = true
    return send(frame(event, lines))
  }

  const endsWith = (event: StreamResponse): boolean => {
    if (!('statusUpdate' in event)) return false
    const { state } = event.statusUpdate.status
    return isTerminal(state) || (closeOnInput && state === 'TASK_STATE_INPUT_REQUIRED')
  }

  // Heartbeats

  function beatIn(us: number, octets: number): void {
    calm()
    nextBeatUs = clock.nowUs() + us
    calm = clock.at(nextBeatUs, () => {
      agenda.catchUp()
      if (!isOpen || nextBeatUs !== clock.nowUs()) return
      if (send(commentOf(octets))) beatIn(us, octets)
    })
  }

  function beginToBeat(): void {
    if (heartbeat !== 'none' && isOpen) beatIn(heartbeat.everyUs, heartbeat.octets)
  }

  function heartbeatsHear(): void {
    if (heartbeat !== 'none' && heartbeat.when === 'silent' && isOpen)
      beatIn(heartbeat.everyUs, heartbeat.octets)
  }

  // The head

  let leaveHead = () => {}
  let head: Promise<void> | undefined
  if (flush === 'at-once') beginToBeat()
  else
    head = new Promise((resolve) => {
      leaveHead = () => {
        leaveHead = () => {}
        beginToBeat()
        resolve()
      }
    })

  // What there is to tell

  if (opening.of === 'snapshot') tell({ task: opening.task }, log.position())
  else for (const { event, position } of opening.events) if (isOpen && tell(event, position)) leaveHead()
  const last = opening.of === 'replay' ? opening.events.at(-1)?.event : undefined
  if (isOpen && (log.isOver() || (last !== undefined && endsWith(last)))) end()
  if (!isOpen) return { body, head }

  const unfollow = log.follow(
    (event) => {
      if (!tell(event, log.position())) return
      heartbeatsHear()
      leaveHead()
      if (endsWith(event)) end()
    },
    () => end(),
  )
  const lifetimeUs = lifetime === undefined ? undefined : drawUs(lifetime, lifetimes)
  const cancelEnd = clock.at(lifetimeUs === undefined ? NEVER_US : clock.nowUs() + lifetimeUs, () => {
    agenda.catchUp()
    if (isOpen) end()
  })
  const forget = openAnswers.add(() => {
    leave()
    controller.error(new Error('the agent restarted'))
    leaveHead()
  })
  leavings.push(unfollow, cancelEnd, forget)
  if (head !== undefined) gone?.().addEventListener('abort', leave, { once: true })
  return { body, head }
}
