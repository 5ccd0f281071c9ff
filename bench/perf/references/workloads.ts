/**
 * The two workloads that engines are measured on, in their plainest form over
 * any event list. Both: n jobs arrive by a Poisson process over an hour, take an
 * exponential time of 20 s, and are polled 7 s after their arrival and then
 * every 7 s until a poll finds them done. Time is in whole µs.
 */
import { Chance } from './chance.ts'
import type { EventList } from './event-list.ts'
import { type Outcome, Outputs } from './outcome.ts'
import { Slots } from './slots.ts'

const SPREAD_US = 3600e6
const MEAN_LENGTH_US = 20e6
const INTERVAL_US = 7e6

/** Latency each way: uniform from 20 ms up to 80 ms. */
const LATENCY_FROM_US = 20_000
const LATENCY_SPREAD_US = 60_000
const MEAN_SERVICE_US = 5_000
/** Polls of a job, about, and how busy the handlers shall be. */
const POLLS_PER_JOB = 3.34
const UTILISATION = 0.7

export const handlersOfQ = (jobs: number): number =>
  Math.max(1, Math.round(((jobs / SPREAD_US) * POLLS_PER_JOB * MEAN_SERVICE_US) / UTILISATION))

/** W: a poll takes no time. One event for each. */
export function runW(list: EventList, jobs: number, seed: number): Outcome {
  const chance = new Chance(seed)
  const slots = new Slots()
  const outputs = new Outputs()
  const gapUs = SPREAD_US / jobs
  let clockUs = chance.exponential() * gapUs
  let arrivalUs = Math.floor(clockUs)
  let arrived = 0
  for (;;) {
    const nowUs = list.peekUs()
    if (arrivalUs <= nowUs) {
      if (arrivalUs === Infinity) break
      const slot = slots.take(arrivalUs + Math.round(chance.exponential() * MEAN_LENGTH_US))
      list.push(arrivalUs + INTERVAL_US, slot)
      clockUs += chance.exponential() * gapUs
      arrivalUs = ++arrived < jobs ? Math.floor(clockUs) : Infinity
      continue
    }
    const slot = list.shift()
    outputs.request(nowUs)
    const latenessUs = nowUs - (slots.doneUs[slot] as number)
    if (latenessUs >= 0) {
      outputs.learned(latenessUs)
      slots.giveBack(slot)
    } else list.push(nowUs + INTERVAL_US, slot)
  }
  return outputs.outcome({ events: jobs + outputs.requests, peakLive: slots.peak })
}

const POLL = 0
const ARRIVES = 1
const SERVED = 2
const RESPONSE = 3

/**
 * Q: requests and responses take time, and one server with so many handlers and
 * a line in order of arrival stands between; the state is read at the end of the
 * service, and the next poll leaves 7 s after the response. Four events for each
 * poll: it leaves, arrives, is served, and its response arrives.
 */
export function runQ(list: EventList, jobs: number, seed: number): Outcome {
  const chance = new Chance(seed)
  const slots = new Slots()
  const outputs = new Outputs()
  const line = new Line()
  const gapUs = SPREAD_US / jobs
  let idle = handlersOfQ(jobs)
  let clockUs = chance.exponential() * gapUs
  let arrivalUs = Math.floor(clockUs)
  let arrived = 0
  const latencyUs = () => Math.floor(LATENCY_FROM_US + LATENCY_SPREAD_US * chance.uniform())
  const serviceUs = () => Math.round(chance.exponential() * MEAN_SERVICE_US)
  for (;;) {
    const nowUs = list.peekUs()
    if (arrivalUs <= nowUs) {
      if (arrivalUs === Infinity) break
      const slot = slots.take(arrivalUs + Math.round(chance.exponential() * MEAN_LENGTH_US))
      list.push(arrivalUs + INTERVAL_US, slot * 4 + POLL)
      clockUs += chance.exponential() * gapUs
      arrivalUs = ++arrived < jobs ? Math.floor(clockUs) : Infinity
      continue
    }
    const payload = list.shift()
    const slot = payload >> 2
    switch (payload & 3) {
      case POLL:
        outputs.request(nowUs)
        list.push(nowUs + latencyUs(), slot * 4 + ARRIVES)
        break
      case ARRIVES:
        if (idle > 0) {
          idle--
          list.push(nowUs + serviceUs(), slot * 4 + SERVED)
        } else line.push(slot)
        break
      case SERVED:
        if (line.size > 0) list.push(nowUs + serviceUs(), line.shift() * 4 + SERVED)
        else idle++
        // What the response says: a job seen done has its instant below 0.
        if (nowUs >= (slots.doneUs[slot] as number)) slots.doneUs[slot] = -(slots.doneUs[slot] as number)
        list.push(nowUs + latencyUs(), slot * 4 + RESPONSE)
        break
      case RESPONSE:
        if ((slots.doneUs[slot] as number) < 0) {
          outputs.learned(nowUs + (slots.doneUs[slot] as number))
          slots.giveBack(slot)
        } else list.push(nowUs + INTERVAL_US, slot * 4 + POLL)
    }
  }
  return outputs.outcome({ events: jobs + 4 * outputs.requests, peakLive: slots.peak })
}

/** Those who wait for a handler, in order: a ring. */
class Line {
  size = 0
  private slots = new Int32Array(1024)
  private first = 0

  push(slot: number): void {
    if (this.size === this.slots.length) this.grow()
    this.slots[(this.first + this.size++) & (this.slots.length - 1)] = slot
  }

  shift(): number {
    const slot = this.slots[this.first] as number
    this.first = (this.first + 1) & (this.slots.length - 1)
    this.size--
    return slot
  }

  private grow(): void {
    const { slots, first, size } = this
    this.slots = new Int32Array(2 * slots.length)
    for (let i = 0; i < size; i++) this.slots[i] = slots[(first + i) & (slots.length - 1)] as number
    this.first = 0
  }
}
