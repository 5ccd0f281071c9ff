/** A task at the lean agent: its life as moments, and who is told of them. */
import type { Cancel } from '../../kernel/clock.ts'
import { spellDuration } from '../../kernel/units.ts'
import type { BegunTask } from '../../mechanisms/mechanism.ts'
import type { AgentSettings } from '../../scenario/scenario.ts'
import type { Customer, LeanErrorName, LeanHead } from './messages.ts'
import type { LeanJob, LeanLeg, LeanUpdate, MomentView } from './moments.ts'
import type { LeanClock } from './time.ts'

/** Who follows a task. */
export interface Follower {
  /** An update has happened. */
  told(update: LeanUpdate, number: number): void
  /** The task is no more. */
  deleted(): void
}

/** Where posts about a task go. */
export interface LeanWebhook {
  post(update: LeanUpdate, number: number): void
  /** Drops what is not yet posted. */
  forget(): void
  /** As `forget`, and nothing is posted any more. */
  close(): void
}

export interface TaskWorld {
  clock: LeanClock
  settings: Pick<AgentSettings, 'polling' | 'ttl' | 'streaming'>
  /** The agent has something to do by itself, or has done it. */
  busy: (by: 1 | -1) => void
}

/** Why a poll is refused. */
export interface Refusal {
  name: LeanErrorName
  retryAfterUs: number | undefined
  message: string
}

export class LeanTask {
  readonly ids: BegunTask
  readonly customer: Customer
  readonly job: LeanJob
  readonly createdUs: number
  /** How many updates have happened. */
  moment = 0
  /** Where a reader stands who has everything: counts the task's creation, its updates, and messages it has heard. */
  position = 1
  isOver = false
  readonly webhooks = new Map<string, LeanWebhook>()
  readonly followers = new Set<Follower>()
  /** The head that shows the task as it is, where nothing else is to be said. */
  plainHead: LeanHead | undefined
  private readonly world: TaskWorld
  private readonly keepsPositions: boolean
  /** Where a reader stands who has each update, and when it happened; kept only for streams that are replayed. */
  private readonly log: { position: number; atUs: number }[] = []
  private leg = 0
  private legUs: number
  /** The next update that is due by itself. */
  private next = 0
  private authorisedUs = Infinity
  private expiresUs = Infinity
  private isKept = true
  private isDeleted = false
  private alarmUs = Infinity
  private cancelAlarm: Cancel | undefined
  private polledUs: number
  private gapUs: number

  constructor(ids: BegunTask, customer: Customer, world: TaskWorld) {
    const nowUs = world.clock.nowUs()
    const { ttl, polling, streaming } = world.settings
    this.ids = ids
    this.customer = customer
    this.job = customer.job
    this.world = world
    this.createdUs = this.legUs = this.polledUs = nowUs
    this.gapUs = polling.minIntervalUs ?? 0
    this.keepsPositions = streaming !== false && streaming.replayUs > 0
    if (ttl?.from === 'creation') this.expiresUs = nowUs + ttl.afterUs
    world.busy(1)
    this.beginLeg()
    this.setAlarm()
  }

  view(): MomentView {
    return this.job.moments.views[this.moment] as MomentView
  }

  private legNow(): LeanLeg {
    return this.job.moments.legs[this.leg] as LeanLeg
  }

  private beginLeg(): void {
    const { first, end, authorisedAfterUs } = this.legNow()
    this.next = first
    if (authorisedAfterUs === undefined) return
    const pauseUs = end > first ? this.legUs + (this.job.atUs[end - 1] as number) : this.legUs
    this.authorisedUs = pauseUs + authorisedAfterUs
  }

  // What it does by itself

  private updateUs(): number {
    return this.next < this.legNow().end ? this.legUs + (this.job.atUs[this.next] as number) : Infinity
  }

  /** When the agent deletes it by itself: of what is over it is only found that its time has come. */
  private deletedUs(): number {
    return this.isKept && this.world.settings.ttl?.from === 'creation' ? this.expiresUs : Infinity
  }

  /** Makes every change that is due by now. */
  catchUp(): void {
    if (this.isDeleted) return
    const nowUs = this.world.clock.nowUs()
    for (;;) {
      const updateUs = this.updateUs()
      const deletedUs = this.deletedUs()
      const ownUs = Math.min(updateUs, this.authorisedUs)
      if (Math.min(ownUs, deletedUs) > nowUs) break
      // The deletion was put on the agenda after the first leg and before all others.
      const deletionFirst = deletedUs < ownUs || (deletedUs === ownUs && this.leg > 0)
      if (deletionFirst) this.delete()
      else if (updateUs <= this.authorisedUs) this.apply(this.next++)
      else this.authorise()
      if (this.isDeleted) return
    }
    this.setAlarm()
  }

  private setAlarm(): void {
    const dueUs = this.isDeleted ? Infinity : Math.min(this.updateUs(), this.authorisedUs, this.deletedUs())
    if (dueUs === this.alarmUs) return
    this.cancelAlarm?.()
    this.alarmUs = dueUs
    this.cancelAlarm =
      dueUs === Infinity
        ? undefined
        : this.world.clock.at(dueUs, () => {
            this.alarmUs = Infinity
            this.cancelAlarm = undefined
            this.catchUp()
          })
  }

  private apply(number: number): void {
    const { clock, settings } = this.world
    const update = this.job.moments.updates[number] as LeanUpdate
    const atUs = clock.nowUs()
    this.position += 1
    this.moment = number + 1
    this.plainHead = undefined
    this.isOver = update.terminal
    if (this.keepsPositions) this.log[number] = { position: this.position, atUs }
    this.customer.happened(number, atUs)
    const { change, topic, replaces, message, terminal } = update.happened
    this.customer.journal.append({
      kind: 'happened',
      atUs,
      update: number,
      change,
      topic,
      replaces,
      message,
      terminal,
    })
    for (const webhook of this.webhooks.values()) webhook.post(update, number)
    if (update.terminal && this.isKept) {
      if (settings.ttl?.from === 'completion') this.expiresUs = atUs + settings.ttl.afterUs
      this.isKept = false
      this.world.busy(-1)
    }
    for (const follower of this.followers) follower.told(update, number)
  }

  private authorise(): void {
    this.authorisedUs = Infinity
    if (this.view().state === 'TASK_STATE_AUTH_REQUIRED') this.goOn()
  }

  private goOn(): void {
    const { end } = this.legNow()
    this.authorisedUs = Infinity
    this.leg += 1
    this.legUs = this.world.clock.nowUs()
    this.next = Infinity
    // That it is worked on again is an update of its own, which stands between the legs.
    this.apply(end)
    this.beginLeg()
  }

  // What others do

  /** Takes a message: the answer to what it asks, or something for its history. */
  hear(): void {
    this.position += 1
    this.plainHead = undefined
    const isAsked =
      this.view().state === 'TASK_STATE_INPUT_REQUIRED' && this.leg + 1 < this.job.moments.legs.length
    if (!isAsked) return
    this.goOn()
    this.setAlarm()
  }

  /** A poll has come. Refused if it came too soon after the one before, whether that was answered or not. */
  polled(): Refusal | undefined {
    const { clock, settings } = this.world
    const { minIntervalUs, tooSoon } = settings.polling
    if (minIntervalUs === undefined) return undefined
    const nowUs = clock.nowUs()
    const isTooSoon = nowUs - this.polledUs < this.gapUs
    this.polledUs = nowUs
    if (!isTooSoon) return undefined
    this.gapUs += tooSoon.addUs
    const message = `leave ${spellDuration(this.gapUs)} between polls of this task`
    if (tooSoon.answer === 429) return { name: 'TooManyRequestsError', retryAfterUs: this.gapUs, message }
    this.customer.journal.append({ kind: 'slow-down', atUs: nowUs })
    return { name: 'SlowDownError', retryAfterUs: undefined, message: `slow_down: ${message}` }
  }

  /** The wait the agent suggests before the next poll. */
  hintUs(): number | undefined {
    if (this.isOver) return undefined
    const { hints } = this.world.settings.polling
    const own = this.job.moments.pollHintUs
    if (own !== undefined || hints.length === 0) return own
    const ageUs = this.world.clock.nowUs() - this.createdUs
    return hints.findLast(({ fromUs }) => fromUs <= ageUs)?.hintUs
  }

  /** The updates after a position, if all of them are younger than so long; `undefined` if that cannot be told. */
  missedSince(position: number, keptUs: number): { number: number; position: number }[] | undefined {
    if (position === 0 || position > this.position) return undefined
    const sinceUs = this.world.clock.nowUs() - keptUs
    const missed: { number: number; position: number }[] = []
    for (const [number, entry] of this.log.entries()) {
      if (entry.position <= position) continue
      if (entry.atUs < sinceUs) return undefined
      missed.push({ number, position: entry.position })
    }
    return missed
  }

  /** The instant from which there is nothing to post about any more. */
  untilUs(): number {
    return this.expiresUs
  }

  isExpired(): boolean {
    return this.isDeleted || this.world.clock.nowUs() >= this.expiresUs
  }

  removeWebhook(id: string): void {
    this.webhooks.get(id)?.close()
    this.webhooks.delete(id)
  }

  delete(): void {
    if (this.isDeleted) return
    this.isDeleted = true
    if (this.isKept) this.world.busy(-1)
    this.isKept = false
    this.setAlarm()
    for (const id of this.webhooks.keys()) this.removeWebhook(id)
    const told = [...this.followers]
    this.followers.clear()
    for (const follower of told) follower.deleted()
  }
}
