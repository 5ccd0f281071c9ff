/** The tasks of a fleet by the processes of the replay, without a wire: each in a world of its own, or all in one. */
import { entityStream, type EntityRandom } from '../kernel/entity-random.ts'
import { fixed } from '../kernel/distribution.ts'
import { type RandomStream, randomStream } from '../kernel/random.ts'
import { processOf } from '../mechanisms/index.ts'
import type { Policy } from '../policies/policy.ts'
import { singlesOf } from '../policies/singles.ts'
import type { JobKind } from '../scenario/fleet.ts'
import { drawJob } from '../scenario/job-plan.ts'
import type { Job, Scenario } from '../scenario/scenario.ts'
import { createBatch } from './batch.ts'
import { BLOCKS, entityOf } from './blocks.ts'
import type { Counted } from './counted.ts'
import { digest } from './digest.ts'
import { type LeanJob, leanJobOf, type Moments } from './lean/moments.ts'
import { createLeanJournal, playLean } from './lean/play.ts'
import { createLeanTime } from './lean/time.ts'
import { createLeanWorld, leanScenario, type LeanGuest, type LeanScenario } from './lean/world.ts'
import { blockTasks, type FleetPlan } from './plan.ts'

/** One of the policies of a population, with the share of tasks it has. */
export interface Member {
  share: number
  policy: Policy
}

/** A task before it is played. */
interface Task {
  block: number
  entity: number
  arrivalUs: number
  lengthUs: number
  kind: JobKind
  lean: LeanScenario
  policy: Policy
}

const US_PER_HOUR = 3_600_000_000

/** Every task alone, at its own time: what one does no other notices. */
export function playEach(
  plan: FleetPlan,
  { fromBlock, toBlock }: { fromBlock: number; toBlock: number },
  scenario: Scenario,
  members: readonly Member[],
  counted: Counted,
): void {
  const chances = createChances(plan.seed)
  const jobOf = createJobs(scenario.horizonUs)
  // Faults happen in the fleet's time; without any, every task may as well begin at 0.
  const hasFaults = scenario.faults.length > 0
  for (const task of tasksOf(plan, { fromBlock, toBlock }, scenario, members)) {
    const { entity, arrivalUs, lengthUs, lean, policy, block } = task
    const random = chances.of(entity)
    const job = jobOf(task, random)
    const beginUs = hasFaults ? arrivalUs : 0
    const offsetUs = arrivalUs - beginUs
    const lastUs = Math.min(scenario.horizonUs, arrivalUs + lengthUs + US_PER_HOUR)
    const journal = createLeanJournal()
    const endUs = playLean(
      { ...lean, scenario: { ...lean.scenario, horizonUs: lastUs - offsetUs } },
      {
        job,
        process: (world) => processOf(world, policy),
        random: (purpose) =>
          purpose.startsWith('fault ') ? randomStream(plan.seed, purpose) : random(purpose),
        journal,
      },
      beginUs,
    )
    const isUnfinished = endUs >= lastUs - offsetUs && !hasEnded(journal.records)
    digest({ block, arrivalUs, lengthUs, records: journal.records, offsetUs, endUs, isUnfinished }, counted)
  }
}

/** All tasks in one world. */
export function playTogether(
  plan: FleetPlan,
  scenario: Scenario,
  members: readonly Member[],
  counted: Counted,
): void {
  const chances = createChances(plan.seed)
  const jobOf = createJobs(scenario.horizonUs)
  const { clock, run } = createLeanTime(scenario.horizonUs, 'many')
  const [first] = members
  if (first === undefined) throw new RangeError('a row has at least one policy')
  const world = createLeanWorld(leanScenario(scenario, first.policy), clock, (purpose) =>
    randomStream(plan.seed, purpose),
  )
  const tasks = tasksOf(plan, { fromBlock: 0, toBlock: BLOCKS }, scenario, members)
  let playing: PlayingTask[] = []

  function count({ task, journal, guest }: PlayingTask): void {
    const { block, arrivalUs, lengthUs } = task
    const isUnfinished = !guest.hasEnded()
    guest.leave()
    const { records } = journal
    digest({ block, arrivalUs, lengthUs, records, offsetUs: 0, endUs: clock.nowUs(), isUnfinished }, counted)
    journal.close()
  }

  /** Counts those of whom nothing more is to come, so that a day of tasks takes no more room than an hour. */
  function countTheOver(): void {
    const nowUs = clock.nowUs()
    const [over, rest] = [[] as PlayingTask[], [] as PlayingTask[]]
    for (const one of playing) (isOver(one, nowUs) ? over : rest).push(one)
    playing = rest
    for (const one of over) count(one)
  }

  let joined = 0
  /** One arrival waits at a time. */
  function expectNext(): void {
    const { value: task, done } = tasks.next()
    if (done === true || task.arrivalUs >= scenario.horizonUs) return
    clock.at(task.arrivalUs, () => {
      const random = chances.of(task.entity)
      const journal = createTaskJournal()
      const guest = world.join({
        job: jobOf(task, random),
        process: (its) => processOf(its, task.policy),
        random,
        journal,
      })
      const mayBePosted = singlesOf(task.policy).some(({ kind }) => kind === 'push')
      playing.push({ task, journal, guest, mayBePosted, quietUs: undefined })
      if (++joined % LOOK_EVERY === 0) countTheOver()
      expectNext()
    })
  }
  expectNext()
  run(() => false)
  const rest = createLeanJournal()
  for (const { guest } of playing) guest.leave()
  world.close(rest)
  for (const one of playing) count(one)
  // Connections that belong to nobody in particular.
  digestRest(rest.records, counted)
}

interface PlayingTask {
  task: Task
  journal: TaskJournal
  guest: LeanGuest
  /** Then the agent may go on posting after all else is over, for as long as its retries last. */
  mayBePosted: boolean
  /** When its client and its job were first seen to be over. */
  quietUs: number | undefined
}

const LOOK_EVERY = 256

/** What is on its way when client and job are over has arrived by then. */
const LINGER_US = 60_000_000

function isOver(one: PlayingTask, nowUs: number): boolean {
  if (one.mayBePosted || !one.guest.hasEnded() || !one.journal.hasEnded()) return false
  one.quietUs ??= nowUs
  return nowUs - one.quietUs >= LINGER_US
}

interface TaskJournal extends ReturnType<typeof createLeanJournal> {
  /** Whether the job has come to its end. */
  hasEnded(): boolean
  /** The task is counted: what comes now would be lost. */
  close(): void
}

function createTaskJournal(): TaskJournal {
  const journal = createLeanJournal()
  let hasEnded = false
  let isClosed = false
  return {
    ...journal,
    append(record) {
      if (isClosed) throw new Error(`a ${record.kind} came after its task was counted`)
      if (record.kind === 'happened' && record.terminal) hasEnded = true
      journal.append(record)
    },
    hasEnded: () => hasEnded,
    close() {
      isClosed = true
      journal.records.length = 0
    },
  }
}

function digestRest(
  records: ReturnType<typeof createLeanJournal>['records'],
  { tally, counts }: Counted,
): void {
  const { fromUs, toUs } = tally.shape.frame
  for (const record of records) {
    if (record.kind !== 'connection' || record.from !== 'client') continue
    tally.connections.addOne(record.openedUs, record.closedUs)
    if (record.openedUs >= fromUs && record.openedUs < toUs) counts['connections.opened'] += 1
  }
}

const hasEnded = (records: ReturnType<typeof createLeanJournal>['records']): boolean =>
  records.some((record) => record.kind === 'gave-up' || (record.kind === 'learned' && record.terminal))

/** Tasks in order, each with its policy. */
function* tasksOf(
  plan: FleetPlan,
  { fromBlock, toBlock }: { fromBlock: number; toBlock: number },
  scenario: Scenario,
  members: readonly Member[],
): Generator<Task, undefined> {
  const batch = createBatch()
  const leans = members.map(({ policy }) => leanScenario(scenario, policy))
  const chooses = members.length > 1 ? entityStream(plan.seed, 'mix') : undefined
  for (let block = fromBlock; block < toBlock; block++) {
    const tasks = blockTasks(plan, block)
    while (tasks.next(batch))
      for (let i = 0; i < batch.count; i++) {
        const entity = entityOf(block, batch.index + i)
        const member = chooses === undefined ? 0 : memberAt(members, chooses.float(entity, 0))
        yield {
          block,
          entity,
          arrivalUs: batch.arrivalUs[i] as number,
          lengthUs: batch.lengthUs[i] as number,
          kind: plan.fleet.jobs[batch.kind[i] as number] as JobKind,
          lean: leans[member] as LeanScenario,
          policy: (members[member] as Member).policy,
        }
      }
  }
  return undefined
}

function memberAt(members: readonly Member[], place: number): number {
  let upTo = 0
  for (const [index, { share }] of members.entries()) if (place < (upTo += share)) return index
  return members.length - 1
}

/** The chance of each task: one stream for each purpose. */
function createChances(seed: number) {
  const purposes = new Map<string, EntityRandom>()
  function drawsOf(purpose: string): EntityRandom {
    let draws = purposes.get(purpose)
    if (draws === undefined) purposes.set(purpose, (draws = entityStream(seed, purpose)))
    return draws
  }
  return {
    of:
      (entity: number) =>
      (purpose: string): RandomStream =>
        drawsOf(purpose).streamOf(entity),
  }
}

/** Jobs that differ in their length alone share what they look like. */
function createJobs(horizonUs: number) {
  const shared = new Map<JobKind, Moments>()
  return ({ kind, lengthUs }: Task, random: (purpose: string) => RandomStream): LeanJob => {
    const { job: plan } = kind
    const length = plan.length === undefined ? undefined : fixed(lengthUs)
    const job: Job = drawJob({ ...plan, length }, { random: random('job'), run: 0, horizonUs })
    if (plan.updates.length > 0) return leanJobOf(job)
    const known = shared.get(kind)
    if (known !== undefined) return { moments: known, atUs: job.updates.map(({ atUs }) => atUs) }
    const made = leanJobOf(job)
    shared.set(kind, made.moments)
    return made
  }
}
