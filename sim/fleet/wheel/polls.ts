/**
 * Polls as typed events on the sorted wheel, one for each: its arrival at the
 * agent. When it is served and when its answer is back are known by then, so
 * that is when the next poll is filed. For polls with latencies and waits left
 * to chance, and for tasks that share an agent's handlers or its quota.
 */
import type { Distribution } from '../../kernel/distribution.ts'
import { entityStream } from '../../kernel/entity-random.ts'
import { SortedWheel } from '../../kernel/sorted-wheel.ts'
import { spellDuration } from '../../kernel/units.ts'
import type { Capacity } from '../../policies/desk.ts'
import type { PollPolicy } from '../../policies/policy.ts'
import type { Quota } from '../../scenario/scenario.ts'
import { createBatch } from '../batch.ts'
import { BATCH, entityOf } from '../blocks.ts'
import { blockTasks, type FleetPlan } from '../plan.ts'
import type { PollRows } from '../poll-rows.ts'
import { Gathering } from '../tally/gathering.ts'
import type { Tally } from '../tally/tally.ts'
import { FAILED, LEARNED, NOT_LEARNED, UNFINISHED } from '../tally/task-ends.ts'
import { NthDraws } from './draws.ts'
import { Gate, Line, type Refused } from './server.ts'
import { Slots } from './slots.ts'
import { type TypedTrouble, type TypedWaits, typedWaits } from './typed-waits.ts'

/** What is the same for all tasks of a fleet of typed polls. */
export interface WheelPolling {
  policy: PollPolicy
  up: Distribution
  down: Distribution
  /** Without a limit of connections. */
  capacity: Pick<Capacity, 'handlers' | 'service' | 'queue' | 'full'> | undefined
  /** Those of all requests together; not beside handlers, which would serve in another order than requests arrive. */
  quotas: readonly Quota[]
  /** Whether sends stand in line as well; of polls alone the load is easier to say. */
  sendsWait: boolean
  horizonUs: number
  rows: PollRows
}

/**
 * Computes some blocks of a fleet; of one whose tasks share an agent, all of them.
 *
 * @throws RangeError for a policy that does not fit
 */
export function playWheel(
  plan: FleetPlan,
  { fromBlock, toBlock }: { fromBlock: number; toBlock: number },
  polling: WheelPolling,
  tally: Tally,
): void {
  const waits = typedWaits(polling.policy, plan.seed)
  if (waits === undefined) throw new RangeError('the policy remembers more of a task than typed polls keep')
  const wheel = new PollWheel(plan, polling, waits, tally)
  for (let block = fromBlock; block < toBlock; block++) wheel.playBlock(block)
  wheel.finish()
}

/** The send of a task is on its way: it has made no poll yet. */
const SENDING = -1

class PollWheel {
  private readonly plan: FleetPlan
  private readonly polling: WheelPolling
  private readonly waits: TypedWaits
  private readonly tally: Tally
  private readonly wheel: SortedWheel
  private readonly slots: Slots
  private readonly gathering: Gathering
  private readonly up: NthDraws
  private readonly down: NthDraws
  private readonly line: Line | undefined
  private readonly gate: Gate | undefined
  private readonly service: { send: NthDraws; poll: NthDraws }
  private readonly full: Refused
  private readonly horizonUs: number
  private readonly constantUs: number
  private readonly remembers: boolean
  private readonly isPlain: boolean
  /** Whether sends meet a line or a quota, so that they are events as well. */
  private readonly sendsArrive: boolean
  /** The first wait where it is the same for all, else -1. */
  private readonly firstUs: number
  /** Polls of the window that saw an end. */
  private seen = 0
  private readonly requestsBefore: number
  private readonly rowsBefore: number
  private readonly isLimited: boolean
  private readonly batch = createBatch()

  // Columns on their way into the tally.
  private readonly leaves = new Float64Array(BATCH)
  private leaving = 0
  private readonly heldFrom = new Float64Array(BATCH)
  private readonly heldTo = new Float64Array(BATCH)
  private held = 0
  private readonly waited = new Float64Array(BATCH)
  private waiting = 0

  constructor(plan: FleetPlan, polling: WheelPolling, waits: TypedWaits, tally: Tally) {
    const { policy, up, down, capacity, quotas, horizonUs, rows } = polling
    const { seed } = plan
    this.plan = plan
    this.polling = polling
    this.waits = waits
    this.tally = tally
    this.wheel = new SortedWheel()
    const canFail = quotas.length > 0 || capacity?.queue !== undefined
    this.constantUs = waits.constantUs ?? -1
    this.isLimited = policy.budgetUs !== undefined
    // Without unsuccessful polls the number of waits follows from that of polls.
    this.remembers = canFail
    this.isPlain =
      !canFail &&
      !this.isLimited &&
      policy.attempts === undefined &&
      rows.before.length === 1 &&
      rows.before[0] === 0
    const isSame = (waits.constantUs !== undefined || policy.first !== 'after') && policy.first !== 'random'
    const isFixedFirst = typeof policy.first === 'string' || policy.first.of === 'fixed'
    this.firstUs = isSame && isFixedFirst ? (waits.firstUs(0) ?? -1) : -1
    this.requestsBefore = tally.load.total
    this.rowsBefore = rowsOf(tally)
    this.sendsArrive = (capacity?.handlers !== undefined && polling.sendsWait) || quotas.length > 0
    this.slots = new Slots({
      lengths: this.sendsArrive,
      lefts: !this.isPlain || up.of !== 'fixed',
      remembers: canFail,
      limited: this.isLimited,
      updates: rows.before.some((before) => before > 0),
    })
    this.gathering = new Gathering(tally)
    this.up = new NthDraws(up, entityStream(seed, 'latency client->agent'))
    this.down = new NthDraws(down, entityStream(seed, 'latency agent->client'))
    this.line = capacity?.handlers === undefined ? undefined : new Line(capacity)
    this.gate = quotas.length === 0 ? undefined : new Gate(quotas)
    const timeOf = (operation: string): NthDraws =>
      new NthDraws(
        capacity?.service.find(({ operations }) => operations === undefined || operations.includes(operation))
          ?.time ?? { of: 'fixed', us: 0 },
        entityStream(seed, `service ${operation}`),
      )
    this.service = { send: timeOf('send'), poll: timeOf('poll') }
    const { answer, retryAfterUs } = capacity?.full ?? { answer: 503, retryAfterUs: undefined }
    this.full = { status: answer === 429 ? 429 : 503, retryAfterUs }
    this.horizonUs = horizonUs
  }

  playBlock(block: number): void {
    const { batch, horizonUs, isPlain } = this
    const tasks = blockTasks(this.plan, block)
    while (tasks.next(batch)) {
      const { arrivalUs } = batch
      let { count } = batch
      while (count > 0 && (arrivalUs[count - 1] as number) >= horizonUs) count--
      this.tally.load.addColumn(arrivalUs, count)
      if (isPlain) this.playPlain(count, -1)
      else
        for (let row = 0; row < count; row++) {
          // Tasks that begin at one instant have all begun before anything comes of it.
          this.playUpTo((arrivalUs[row] as number) - 1)
          this.arrive(row)
        }
      if (count < batch.count) return
    }
  }

  /** Plays what is left, up to the horizon, and counts what goes on then. */
  finish(): void {
    if (this.isPlain) this.playPlain(0, this.horizonUs - 1)
    else this.playUpTo(this.horizonUs - 1)
    const { slots, wheel } = this
    // Each task that goes on has one request on its way.
    while (wheel.size > 0) {
      const atUs = wheel.peekUs()
      const slot = wheel.shift()
      const made = slots.polls[slot] as number
      if (made > 0 && !this.isPlain) this.countPoll(slot, false, atUs)
      this.hold(slots.leftUs?.[slot] ?? atUs - (this.up.fixedUs ?? 0), this.horizonUs)
      this.end(slot, this.horizonUs, UNFINISHED)
    }
    this.flushLeaves()
    this.flushHeld()
    this.flushWaited()
    this.gathering.flush()
    if (this.isPlain) this.countPlainPolls()
  }

  /** Polls of the window: those that saw an end, and all other requests that are in no row yet. */
  private countPlainPolls(): void {
    const { tally, polling } = this
    const poll = polling.rows.poll[0] as number
    tally.rows[poll + 1] = (tally.rows[poll + 1] as number) + this.seen
    const others = rowsOf(tally) - this.rowsBefore
    tally.rows[poll] = (tally.rows[poll] as number) + tally.load.total - this.requestsBefore - others
  }

  private playUpTo(us: number): void {
    const { wheel } = this
    for (let atUs = wheel.peekUs(); atUs <= us; atUs = wheel.peekUs()) {
      const slot = wheel.shift()
      if ((this.slots.polls[slot] as number) === SENDING) this.serveSend(slot, atUs)
      else this.servePoll(slot, atUs)
    }
  }

  /**
   * The usual course of polls that nobody refuses, of tasks that tell nothing
   * before their end, in one loop over few columns; all else is done by the
   * others. Where the way up is constant, when a poll left follows from when it
   * arrives; rows of polls without news follow from all the others at the end.
   *
   * @param count so many tasks of the batch, and what happens before the last of them begins
   * @param untilUs and then what happens up to, and at, this instant
   */
  private playPlain(count: number, untilUs: number): void {
    const { wheel, slots, line, waits, horizonUs, leaves, constantUs, batch, firstUs } = this
    const { arrivalUs, lengthUs, kind: kinds, block: blockOf, index: firstIndex } = batch
    const { fromUs, toUs } = this.tally.shape.frame
    const { inFlight } = this.tally.shape.wanted
    const sendRow = this.polling.rows.send[0] as number
    const isQuick = firstUs >= 0 && !this.sendsArrive
    const upUs = this.up.fixedUs ?? -1
    const downUs = this.down.fixedUs ?? -1
    const isFromRequest = this.polling.policy.waitFrom === 'request'
    const isFixed = upUs >= 0 && downUs >= 0 && constantUs >= 0 && line === undefined
    let { doneUs, leftUs, polls, block, index } = slots
    let atUs = wheel.peekUs()
    for (let row = 0; row <= count; row++) {
      // Tasks that begin at one instant have all begun before anything comes of it.
      const limitUs = row < count ? (arrivalUs[row] as number) - 1 : untilUs
      for (; atUs <= limitUs; atUs = wheel.peekUs()) {
        const slot = wheel.shift()
        const made = polls[slot] as number
        if (made === SENDING) {
          this.serveSend(slot, atUs)
          continue
        }
        const left = leftUs === undefined ? atUs - upUs : (leftUs[slot] as number)
        const entity = isFixed ? 0 : (block[slot] as number) * 2 ** 32 + (index[slot] as number)
        let servedUs = atUs
        if (line !== undefined) {
          const startUs = line.startUs(atUs)
          servedUs = startUs + this.service.poll.us(entity, made)
          line.busyUntil(servedUs)
          if (left >= fromUs && left < toUs) {
            this.waited[this.waiting++] = startUs - atUs
            if (this.waiting === BATCH) this.flushWaited()
          }
        }
        const answeredUs = servedUs + (downUs >= 0 ? downUs : this.down.us(entity, made))
        if (inFlight) this.hold(left, answeredUs)
        if (answeredUs >= horizonUs) {
          this.end(slot, horizonUs, UNFINISHED)
          continue
        }
        if (servedUs >= (doneUs[slot] as number)) {
          if (left >= fromUs && left < toUs) this.seen++
          this.end(slot, answeredUs, LEARNED)
          continue
        }
        const waitUs = constantUs >= 0 ? constantUs : waits.usualUs(entity, made - 1 + waits.firstSteps)
        if (waitUs === undefined) {
          this.giveUp(slot, answeredUs, NO_MORE_WAITS)
          continue
        }
        const leavesUs = isFromRequest ? Math.max(left + waitUs, answeredUs) : answeredUs + waitUs
        if (leavesUs >= horizonUs) {
          this.end(slot, horizonUs, UNFINISHED)
          continue
        }
        polls[slot] = made + 1
        if (leftUs !== undefined) leftUs[slot] = leavesUs
        leaves[this.leaving++] = leavesUs
        if (this.leaving === BATCH) this.flushLeaves()
        wheel.push(leavesUs + (upUs >= 0 ? upUs : this.up.us(entity, made + 1)), slot)
      }
      if (row === count) return
      if (!isQuick) {
        this.arrive(row)
        ;({ doneUs, leftUs, polls, block, index } = slots)
        atUs = wheel.peekUs()
        continue
      }

      // Nothing can come between the send of a task and its first poll.
      const slot = slots.take()
      if (slots.polls !== polls) ({ doneUs, leftUs, polls, block, index } = slots)
      const sentUs = arrivalUs[row] as number
      const length = lengthUs[row] as number
      const entity = blockOf * 2 ** 32 + firstIndex + row
      const servedUs = sentUs + (upUs >= 0 ? upUs : this.up.us(entity, 0))
      const repliedUs = servedUs + (downUs >= 0 ? downUs : this.down.us(entity, 0))
      const leavesUs = repliedUs + firstUs
      slots.arrivalUs[slot] = sentUs
      doneUs[slot] = servedUs + length
      if (leftUs !== undefined) leftUs[slot] = leavesUs
      index[slot] = firstIndex + row
      block[slot] = blockOf
      slots.kind[slot] = kinds[row] as number
      if (inFlight) this.hold(sentUs, repliedUs)
      if (sentUs >= fromUs && sentUs < toUs)
        this.tally.rows[sendRow] = (this.tally.rows[sendRow] as number) + 1
      polls[slot] = 0
      if (leavesUs >= horizonUs) {
        this.end(slot, horizonUs, UNFINISHED)
        continue
      }
      polls[slot] = 1
      leaves[this.leaving++] = leavesUs
      if (this.leaving === BATCH) this.flushLeaves()
      const dueUs = leavesUs + (upUs >= 0 ? upUs : this.up.us(entity, 1))
      wheel.push(dueUs, slot)
      if (dueUs < atUs) atUs = dueUs
    }
  }

  /** The task in this row of the batch. */
  private arrive(row: number): void {
    const { slots, batch } = this
    const { block } = batch
    const index = batch.index + row
    const atUs = batch.arrivalUs[row] as number
    const slot = slots.take()
    slots.arrivalUs[slot] = atUs
    if (slots.lengthUs !== undefined) slots.lengthUs[slot] = batch.lengthUs[row] as number
    slots.index[slot] = index
    slots.block[slot] = block
    slots.kind[slot] = batch.kind[row] as number
    slots.polls[slot] = SENDING
    if (slots.leftUs !== undefined) slots.leftUs[slot] = atUs
    if (slots.steps !== undefined) slots.steps[slot] = 0
    if (slots.known !== undefined) slots.known[slot] = 0
    if (slots.news !== undefined) slots.news[slot] = 0
    slots.doneUs[slot] = Infinity
    const servedUs = atUs + this.up.us(entityOf(block, index), 0)
    if (this.sendsArrive) this.wheel.push(servedUs, slot)
    else this.reply(slot, servedUs, batch.lengthUs[row] as number)
  }

  private serveSend(slot: number, atUs: number): void {
    const { slots, line } = this
    const entity = entityOf(slots.block[slot] as number, slots.index[slot] as number)
    let endUs = atUs
    const refusal = this.gate?.refusal(atUs)
    if (refusal !== undefined) return this.failSend(slot, atUs, refusal)
    if (line !== undefined) {
      const startUs = line.startUs(atUs)
      if (startUs < 0) return this.failSend(slot, atUs, this.full)
      endUs = startUs + this.service.send.us(entity, 0)
      line.busyUntil(endUs)
      this.noteWait(slots.arrivalUs[slot] as number, startUs - atUs)
    }
    this.reply(slot, endUs, this.lengthOf(slot))
  }

  /** The send is served: the job begins. */
  private reply(slot: number, servedUs: number, lengthUs: number): void {
    const { slots } = this
    const entity = entityOf(slots.block[slot] as number, slots.index[slot] as number)
    const repliedUs = servedUs + this.down.us(entity, 0)
    const kind = slots.kind[slot] as number
    const sentUs = slots.arrivalUs[slot] as number
    this.hold(sentUs, repliedUs)
    this.row(this.polling.rows.send[kind] as number, sentUs)
    slots.doneUs[slot] = servedUs + lengthUs
    slots.polls[slot] = 0
    if (slots.repliedUs !== undefined) slots.repliedUs[slot] = repliedUs
    if (repliedUs >= this.horizonUs) return this.end(slot, this.horizonUs, UNFINISHED)
    if (slots.steps !== undefined) slots.steps[slot] = this.waits.firstSteps
    this.clearTroubles(slot)
    const waitUs = this.waits.firstUs(entity)
    if (waitUs === undefined) this.giveUp(slot, repliedUs, NO_MORE_WAITS)
    else this.poll(slot, entity, repliedUs, repliedUs + waitUs)
  }

  private failSend(slot: number, atUs: number, { status }: Refused): void {
    const { slots } = this
    const { throttled, refused } = this.polling.rows
    const entity = entityOf(slots.block[slot] as number, slots.index[slot] as number)
    const kind = slots.kind[slot] as number
    const answeredUs = atUs + this.down.us(entity, 0)
    const sentUs = slots.arrivalUs[slot] as number
    this.hold(sentUs, answeredUs)
    this.row((status === 429 ? throttled : refused)[kind] as number, sentUs)
    slots.polls[slot] = 0
    this.fail(slot, answeredUs, `the agent answered the send ${status}`)
  }

  /** A poll at that instant, if the limits allow it. */
  private poll(slot: number, entity: number, nowUs: number, wishedUs: number): void {
    const { slots } = this
    const { policy } = this.polling
    const made = slots.polls[slot] as number
    if (policy.attempts !== undefined && made >= policy.attempts)
      return this.giveUp(slot, nowUs, `the task was not over after ${policy.attempts} polls (attempts)`)
    let atUs = wishedUs
    if (this.isLimited) {
      const budgetUs = policy.budgetUs as number
      const endUs = ((slots.repliedUs as Float64Array)[slot] as number) + budgetUs
      const lastUs = endUs - (policy.lastLookUs ?? 0)
      if (policy.lastLookUs !== undefined && nowUs < lastUs) atUs = Math.min(wishedUs, lastUs)
      if (atUs > lastUs)
        return this.giveUp(
          slot,
          Math.max(endUs, nowUs),
          `the task was not over after ${spellDuration(budgetUs)} (budget)`,
        )
    }
    if (atUs >= this.horizonUs) return this.end(slot, this.horizonUs, UNFINISHED)
    slots.polls[slot] = made + 1
    if (slots.leftUs !== undefined) slots.leftUs[slot] = atUs
    this.leave(atUs)
    this.wheel.push(atUs + this.up.us(entity, made + 1), slot)
  }

  private servePoll(slot: number, atUs: number): void {
    const { slots, line } = this
    const entity = entityOf(slots.block[slot] as number, slots.index[slot] as number)
    const made = slots.polls[slot] as number
    const leftUs = this.leftOf(slot)
    let servedUs = atUs
    if (this.gate !== undefined) {
      const refusal = this.gate.refusal(atUs)
      if (refusal !== undefined) return this.answerRefused(slot, entity, atUs, refusal)
    }
    if (line !== undefined) {
      const startUs = line.startUs(atUs)
      if (startUs < 0) return this.answerRefused(slot, entity, atUs, this.full)
      servedUs = startUs + this.service.poll.us(entity, made)
      line.busyUntil(servedUs)
      this.noteWait(leftUs, startUs - atUs)
    }
    const answeredUs = servedUs + this.down.us(entity, made)
    const isKnown = answeredUs < this.horizonUs
    const seesEnd = servedUs >= (slots.doneUs[slot] as number)
    this.countPoll(slot, seesEnd && isKnown, servedUs)
    this.hold(leftUs, answeredUs)
    if (!isKnown) return this.end(slot, this.horizonUs, UNFINISHED)
    if (seesEnd) return this.end(slot, answeredUs, LEARNED)
    if (slots.known !== undefined) this.heed(slot, servedUs)
    if (this.remembers) this.clearTroubles(slot)
    this.pollAfter(slot, entity, made, leftUs, answeredUs)
  }

  /** The policy's own wait. */
  private pollAfter(slot: number, entity: number, made: number, leftUs: number, answeredUs: number): void {
    let waitUs = this.constantUs
    if (waitUs < 0) {
      const { steps } = this.slots
      const step = steps === undefined ? made - 1 + this.waits.firstSteps : (steps[slot] as number)
      const usualUs = this.waits.usualUs(entity, step)
      if (usualUs === undefined) return this.giveUp(slot, answeredUs, NO_MORE_WAITS)
      waitUs = usualUs
      if (steps !== undefined) steps[slot] = step + 1
    }
    const fromUs = this.polling.policy.waitFrom === 'request' ? leftUs : answeredUs
    this.poll(slot, entity, answeredUs, Math.max(fromUs + waitUs, answeredUs))
  }

  private answerRefused(slot: number, entity: number, atUs: number, { status, retryAfterUs }: Refused): void {
    const { slots, waits } = this
    const { rows } = this.polling
    const made = slots.polls[slot] as number
    const leftUs = this.leftOf(slot)
    const kind = slots.kind[slot] as number
    const answeredUs = atUs + this.down.us(entity, made)
    this.row((status === 429 ? rows.throttled : rows.refused)[kind] as number, leftUs)
    this.hold(leftUs, answeredUs)
    if (answeredUs >= this.horizonUs) return this.end(slot, this.horizonUs, UNFINISHED)
    const trouble: TypedTrouble = status === 429 ? waits.on429 : waits.onError
    const says = `the agent answered ${status}`
    const askedUs = waits.askedUs(retryAfterUs)
    if (trouble === 'fail') return this.fail(slot, answeredUs, says)
    if (trouble === 'next') {
      if (askedUs === undefined) this.pollAfter(slot, entity, made, leftUs, answeredUs)
      else this.poll(slot, entity, answeredUs, answeredUs + askedUs)
      return
    }
    const inRow = (status === 429 ? slots.throttled : slots.errors) as Int32Array
    const waitUs = trouble.waitUs(inRow[slot] as number)
    inRow[slot] = (inRow[slot] as number) + 1
    if (waitUs === undefined) return this.fail(slot, answeredUs, `${says}, and no attempt is left`)
    this.poll(slot, entity, answeredUs, answeredUs + (askedUs ?? waitUs))
  }

  private clearTroubles(slot: number): void {
    const { errors, throttled } = this.slots
    if (errors !== undefined) errors[slot] = 0
    if (throttled !== undefined) throttled[slot] = 0
  }

  /** How many of the updates before the end have happened. */
  private momentAt(slot: number, us: number): number {
    const { slots } = this
    const before = this.polling.rows.before[slots.kind[slot] as number] as number
    if (before === 0) return 0
    const lengthUs = this.lengthOf(slot)
    const ageUs = us - ((slots.doneUs[slot] as number) - lengthUs)
    if (ageUs >= lengthUs) return before
    if (lengthUs === Infinity || ageUs < 0) return 0
    let moment = Math.min(before, Math.floor((ageUs * (before + 1)) / lengthUs))
    const toldUs = (told: number): number => Math.round((told * lengthUs) / (before + 1))
    while (moment < before && toldUs(moment + 1) <= ageUs) moment++
    while (moment > 0 && toldUs(moment) > ageUs) moment--
    return moment
  }

  /** A poll was answered with the updates so far. */
  private heed(slot: number, servedUs: number): void {
    const known = this.slots.known as Uint16Array
    const news = this.slots.news as Uint16Array
    const moment = this.momentAt(slot, servedUs)
    if (moment <= (known[slot] as number)) return
    known[slot] = moment
    news[slot] = (news[slot] as number) + 1
  }

  private countPoll(slot: number, showsEnd: boolean, servedUs: number): void {
    const { rows } = this.polling
    const kind = this.slots.kind[slot] as number
    const moment = showsEnd
      ? (rows.before[kind] as number) + 1
      : this.slots.known === undefined
        ? 0
        : this.momentAt(slot, servedUs)
    this.row((rows.poll[kind] as number) + moment, this.leftOf(slot))
  }

  /** When its request under way left; of those that are not plain it is kept. */
  private leftOf(slot: number): number {
    return (this.slots.leftUs as Float64Array)[slot] as number
  }

  /** How long its job takes; where that is not kept, its send was served as it arrived. */
  private lengthOf(slot: number): number {
    const { lengthUs, doneUs, arrivalUs, block, index } = this.slots
    if (lengthUs !== undefined) return lengthUs[slot] as number
    const upUs = this.up.fixedUs ?? this.up.us(entityOf(block[slot] as number, index[slot] as number), 0)
    return (doneUs[slot] as number) - (arrivalUs[slot] as number) - upUs
  }

  private row(row: number, leftUs: number): void {
    const { fromUs, toUs } = this.tally.shape.frame
    if (leftUs >= fromUs && leftUs < toUs) this.tally.rows[row] = (this.tally.rows[row] as number) + 1
  }

  private fail(slot: number, atUs: number, reason: string): void {
    this.endWith(slot, atUs, FAILED, reason)
  }

  private giveUp(slot: number, atUs: number, reason: string): void {
    this.endWith(slot, atUs, NOT_LEARNED, reason)
  }

  private endWith(slot: number, atUs: number, how: number, reason: string): void {
    if (atUs >= this.horizonUs) return this.end(slot, this.horizonUs, UNFINISHED)
    if (this.gathering.isCounted(this.slots.arrivalUs[slot] as number)) this.tally.addReason(reason)
    this.end(slot, atUs, how)
  }

  private end(slot: number, atUs: number, how: number): void {
    const { slots, gathering } = this
    const block = slots.block[slot] as number
    const arrivalUs = slots.arrivalUs[slot] as number
    const isCounted = gathering.isCounted(arrivalUs)
    const ended = gathering.of(block, isCounted)
    const { tasks, ends } = ended
    const row = tasks.count
    tasks.arrivalUs[row] = arrivalUs
    tasks.lengthUs[row] = this.lengthOf(slot)
    tasks.kind[row] = slots.kind[slot] as number
    ends.endUs[row] = atUs
    ends.lateUs[row] = atUs - (slots.doneUs[slot] as number)
    ends.polls[row] = Math.max(slots.polls[slot] as number, 0)
    ends.how[row] = how
    ends.news[row] = how === LEARNED ? 1 : 0
    if (isCounted && slots.known !== undefined) this.tellUpdates(slot, block, how, ends.news, row)
    gathering.told(ended)
    slots.giveBack(slot)
  }

  private tellUpdates(slot: number, block: number, how: number, news: Float64Array, row: number): void {
    const { slots, tally } = this
    const before = this.polling.rows.before[slots.kind[slot] as number] as number
    const shown = (slots.news as Uint16Array)[slot] as number
    const known = how === LEARNED ? before : ((slots.known as Uint16Array)[slot] as number)
    const begun = (slots.doneUs[slot] as number) !== Infinity || this.lengthOf(slot) === Infinity
    tally.add('happened', block, begun ? this.momentAt(slot, this.horizonUs - 1) : 0)
    tally.add('seen', block, shown)
    tally.add('coalesced', block, known - shown)
    news[row] = (news[row] as number) + shown
  }

  private leave(atUs: number): void {
    this.leaves[this.leaving++] = atUs
    if (this.leaving === BATCH) this.flushLeaves()
  }

  private flushLeaves(): void {
    this.tally.load.addColumn(this.leaves, this.leaving)
    this.leaving = 0
  }

  /** A request under way. */
  private hold(fromUs: number, toUs: number): void {
    if (!this.tally.shape.wanted.inFlight || toUs <= fromUs) return
    this.heldFrom[this.held] = fromUs
    this.heldTo[this.held++] = toUs
    if (this.held === BATCH) this.flushHeld()
  }

  private flushHeld(): void {
    this.tally.inFlight.addColumns(this.heldFrom, this.heldTo, this.held)
    this.held = 0
  }

  private noteWait(leftUs: number, waitUs: number): void {
    const { fromUs, toUs } = this.tally.shape.frame
    if (leftUs < fromUs || leftUs >= toUs) return
    this.waited[this.waiting++] = waitUs
    if (this.waiting === BATCH) this.flushWaited()
  }

  private flushWaited(): void {
    this.tally.waits.addColumn(this.waited, 0, this.waiting)
    this.tally.waited.addColumn(0, this.waited, 0, this.waiting)
    this.waiting = 0
  }
}

/** Requests of the window that are in a row. */
const rowsOf = ({ rows }: Tally): number => rows.reduce((sum, count) => sum + count, 0)

const NO_MORE_WAITS = 'the task was not over at the end of the list of waits'
