/** What the tasks of a scenario do: one job, or kinds of jobs with their counts and shares. */
import type * as z from 'zod'
import type { Distribution } from '../kernel/distribution.ts'
import type { Jobs } from './fleet-schema.ts'
import type { JobKind } from './fleet.ts'
import type { JobMap } from './job-schema.ts'
import { checkFaultyJob, resolveJob } from './job.ts'
import { entryOf, plain, type MapNode, type Path } from './node.ts'
import type { ReadSection } from './resolve-runs.ts'
import type { Surroundings } from './surroundings.ts'
import { sharesProblem } from './shares.ts'
import { shareOf } from './values.ts'

type JobInput = z.output<typeof JobMap>
type KindInput = z.output<typeof Jobs>[number]

/**
 * The kinds of jobs, at least one; `undefined` after reporting what is wrong.
 *
 * @param known the lengths that a trace brings, which no job says then; `unknown` if something is wrong with it
 */
export function resolveJobs(
  root: MapNode,
  read: ReadSection,
  known: Distribution | 'unknown' | undefined,
  around: Surroundings,
): JobKind[] | undefined {
  const { say } = around
  const recorded = known === 'unknown' ? undefined : known
  const [job, jobs] = [entryOf(root, 'job')?.node, entryOf(root, 'jobs')?.node]
  if (jobs !== undefined) {
    if (job !== undefined) say(['jobs'], 'job and jobs exclude each other', true)
    const list = read('jobs')
    if (list !== undefined) return resolveKinds(list, recorded, around)
    const items = jobs.of === 'list' ? jobs.items : []
    for (const [index, item] of items.entries()) {
      checkFaultyJob(withoutAmount(plain(item)), elsewhere(around, ['jobs', index]))
    }
    return undefined
  }
  const input = read('job')
  if (job === undefined && recorded === undefined) {
    if (known === undefined) say([], 'the scenario says nothing about the job: add job: 20s')
    return undefined
  }
  if (input === undefined && job !== undefined) {
    checkFaultyJob(plain(job), around)
    return undefined
  }
  const plan = resolveJob((input ?? {}) as JobInput, around, recorded)
  return plan && [{ name: undefined, amount: { of: 'share', share: 1 }, job: plan }]
}

function resolveKinds(
  list: readonly KindInput[],
  recorded: Distribution | undefined,
  around: Surroundings,
): JobKind[] | undefined {
  const { say } = around
  const kinds: JobKind[] = []
  const names: string[] = []
  for (const [index, { name, count, share, ...job }] of list.entries()) {
    const path = ['jobs', index]
    if (count !== undefined && share !== undefined)
      say([...path, 'share'], 'count and share exclude each other', true)
    else if (count === undefined && share === undefined)
      say(path, 'how many of the tasks are such? add count: 10, or share: 50%')
    if (name !== undefined && names.includes(name)) say([...path, 'name'], `"${name}" is there twice`)
    if (name !== undefined) names.push(name)
    const plan = resolveJob(job as JobInput, elsewhere(around, path), recorded)
    if (plan === undefined || (count === undefined) === (share === undefined)) continue
    const amount =
      count !== undefined
        ? ({ of: 'count', count } as const)
        : ({ of: 'share', share: shareOf(share ?? '0%') } as const)
    kinds.push({ name, amount, job: plan })
  }
  const problem = sharesProblem(list.flatMap(({ share }) => share ?? []))
  if (problem !== undefined) say(['jobs'], problem)
  return kinds.length === list.length ? kinds : undefined
}

const AMOUNT = ['name', 'count', 'share']

const withoutAmount = (kind: unknown): unknown =>
  typeof kind === 'object' && kind !== null
    ? Object.fromEntries(Object.entries(kind).filter(([key]) => !AMOUNT.includes(key)))
    : kind

/** The surroundings of a job that stands at another path than `job`. */
function elsewhere({ say, columnAt }: Surroundings, at: Path): Surroundings {
  const there = (path: Path): Path => (path[0] === 'job' ? [...at, ...path.slice(1)] : path)
  return {
    say: (path, message, key) => say(there(path), message, key),
    columnAt: (path) => columnAt(there(path)),
  }
}
