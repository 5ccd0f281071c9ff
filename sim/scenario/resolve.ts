/** A scenario in long form to one that can be run: defaults filled in, durations in µs, everything checked. */
import type * as z from 'zod'
import { formatDuration } from '../kernel/units.ts'
import { isRandom } from './chance.ts'
import type { ReadColumn } from './distribution.ts'
import type { Columns } from './columns.ts'
import { readExpectations, type GivenEntry } from './expect.ts'
import type { Expectation } from './expectation.ts'
import { problemsOf, sentenceOf, unknownKey } from './issues.ts'
import { checkFaultyJob, resolveJob } from './job.ts'
import { MOST_UPDATES, isRandomJob } from './job-plan.ts'
import type { JobMap } from './job-schema.ts'
import { resolveMechanisms } from './mechanisms.ts'
import { entryOf, nodeAt, placeOf, plain, type MapNode, type Node, type Path } from './node.ts'
import type { Place } from './place.ts'
import { canonicalWord } from './policies/canonical.ts'
import type { Library } from './policies/library.ts'
import { DEFAULT_CHOICES } from './policies/mechanism.ts'
import { MechanismMap } from './policies/schema.ts'
import { problemAt, type Problem } from './problem.ts'
import { drawn, type Undrawn } from './runs.ts'
import type { Scenario } from './scenario.ts'
import { ScenarioSchema, type ScenarioShape } from './schema.ts'
import type { Say, Surroundings } from './surroundings.ts'
import { parseThreshold } from './threshold.ts'
import { durationUs } from './values.ts'
import { resolveAgent } from './world/agent.ts'
import { resolveClient, type ClientMap } from './world/client.ts'
import { resolveFaults } from './world/faults.ts'
import { resolvePath } from './world/path.ts'
import { resolveReceiver } from './world/receiver.ts'

type Section = keyof ScenarioShape

interface Context {
  /** The name of a scenario that gives none. */
  fileName: string
  files: Scenario['files']
  /** Which expectations are read: the file's own, those of an entry whose values the scenario has, or none, when the command line changed what they are about. */
  expecting: 'own' | GivenEntry | 'none'
  /** Reads the columns of files with measured values. */
  columns: Columns
  /** Policies by name; those of the scenario are written out already. */
  library: Library
}

export interface Resolved {
  scenario: Scenario
  /** What a study printed. */
  claims: readonly Expectation[]
  warnings: readonly string[]
}

/** The scenario, or every problem that could be found. Problems already known keep their sections unread. */
export function resolve(
  root: MapNode,
  { fileName, files, expecting, columns, library }: Context,
  known: readonly Problem[],
): Resolved | { problems: readonly Problem[] } {
  const problems: Problem[] = [...known]
  const say: Say = (path, message, key) =>
    problems.push(problemAt(key ? placeOf(root, path, key) : placeFor(root, path), message))
  for (const key of root.entries.keys()) {
    if (!Object.hasOwn(ScenarioSchema.shape, key)) problems.push(unknownKey(root, [], key))
  }

  /** The checked value of a section; `undefined` and problems if there is something wrong with it. */
  const read = <K extends Section>(key: K): z.output<ScenarioShape[K]> | undefined => {
    const entry = entryOf(root, key)
    const schema: z.ZodType = ScenarioSchema.shape[key]
    const result = schema.safeParse(entry && plain(entry.node), { error: sentenceOf })
    if (result.success) return result.data as z.output<ScenarioShape[K]>
    problems.push(...problemsOf(result.error.issues, [key], root))
    return undefined
  }

  const columnAt =
    (path: Path): ReadColumn =>
    (ref) => {
      const result = columns.read(ref, placeFor(root, path))
      if ('valuesUs' in result) return result.valuesUs
      say(path, result.problem)
      return [0]
    }
  const around: Surroundings = { say, columnAt }

  const jobInput = read('job')
  const jobNode = entryOf(root, 'job')?.node
  // What only makes sense for several jobs was told by its name.
  if (jobNode === undefined && !root.entries.has('jobs')) {
    say([], 'the scenario says nothing about the job: add job: 20s')
  }
  const plan = jobInput === undefined ? undefined : resolveJob(jobInput as z.output<typeof JobMap>, around)
  if (jobInput === undefined && jobNode !== undefined) checkFaultyJob(plain(jobNode), around)

  const [seed, replications, horizon] = [read('seed'), read('replications'), read('horizon')]
  const horizonUs = horizon === undefined ? undefined : durationUs(horizon)
  if (horizonUs === 0) say(['horizon'], 'a horizon of 0 leaves no time for the run')
  const [agentInput, clientInput, networkInput, receiverInput, faultsInput] = [
    read('agent'),
    read('client'),
    read('network'),
    read('receiver'),
    read('faults'),
  ]
  const agent = agentInput && resolveAgent(agentInput, around)
  const client = clientInput && resolveClient(clientInput as z.output<typeof ClientMap>)
  const network = networkInput && resolvePath(networkInput, ['network'], around)
  const receiver = receiverInput && resolveReceiver(receiverInput, around)
  const first = plan && drawn({ job: plan, faults: [], horizonUs }, seed ?? 0, 0)
  if (first !== undefined && !root.entries.has('fleet')) checkRun(first.job, horizonUs, say)
  const jobHasLength = first === undefined || first.job.durationUs !== undefined
  const faults = faultsInput && resolveFaults(faultsInput, { ...around, jobHasLength })
  const points = plan?.length?.of === 'grid' ? plan.length.points : undefined
  if (points !== undefined && replications !== undefined && replications !== points) {
    say(['replications'], `the grid has ${points} points, one run each: leave replications out`)
  }

  read('mechanisms')
  const before = problems.length
  const list = entryOf(root, 'mechanisms')?.node
  const entries =
    list?.of === 'list' ? list.items.map((item) => MechanismMap.safeParse(plain(item)).data) : []
  // What the agent does where a policy leaves it open.
  const choices = {
    heartbeat: (agent && agent.streaming && agent.streaming.heartbeat) || DEFAULT_CHOICES.heartbeat,
    retry: (agent && agent.push && agent.push.retry) || DEFAULT_CHOICES.retry,
  }
  const mechanisms = resolveMechanisms(entries, { say, library, agent: choices })
  // A word that could not be read is still a text here, and was told.
  const mechanismsAreFine = problems.length === before && entries.every((entry) => entry !== undefined)

  const [expectations, claims] = (['expect', 'claims'] as const).map((section) => {
    const given = typeof expecting === 'object' ? expecting : undefined
    if (given !== undefined && given.section !== section) return []
    const rows = mechanismsAreFine && expecting !== 'none' ? mechanisms : undefined
    const wordOf = (row: Node) => canonicalWord(row, { agent: choices, library })
    const read = readExpectations(root, section, given?.index, rows, wordOf)
    problems.push(...read.problems)
    return read.expectations
  }) as [Expectation[], Expectation[]]

  const [name, question, description, source] = [
    read('name'),
    read('question'),
    read('description'),
    read('source'),
  ]
  const thresholds = read('thresholds')

  if (problems.length > 0 || !plan || !agent || !client || !network || !receiver || !faults) {
    return { problems }
  }
  if (seed === undefined || thresholds === undefined) return { problems }
  const undrawn: Undrawn = { job: plan, faults, horizonUs }
  const scenario: Scenario = {
    name: name ?? fileName,
    files: [...files, ...columns.files()] as unknown as Scenario['files'],
    question,
    description,
    sources: source === undefined ? [] : [source].flat(),
    seed,
    ...drawn(undrawn, seed, 0),
    agent,
    client,
    network,
    receiver,
    replications: points ?? replications ?? 1,
    ...(isRandomJob(plan) ? { undrawn } : {}),
    mechanisms,
    thresholds: thresholds.map((expression) => {
      const parsed = parseThreshold(expression)
      if ('problem' in parsed) throw new Error(`a checked threshold is wrong: ${parsed.problem}`)
      return parsed.threshold
    }),
    expectations,
  }
  return { scenario, claims, warnings: warningsAbout(scenario) }
}

/** Defaults stand in no file: what is wrong with them was brought by an option, inside. */
function placeFor(root: MapNode, path: Path): Place {
  const place = placeOf(root, path)
  const node = nodeAt(root, path)
  if (place.source.origin !== 'default' || node?.of !== 'map') return place
  for (const key of node.entries.keys()) {
    const inner = placeFor(root, [...path, key])
    if (inner.source.origin !== 'default') return inner
  }
  return place
}

/** What only shows once a job is drawn. */
function checkRun(job: Scenario['job'], horizonUs: number | undefined, say: Say): void {
  const pieces = [job.updates, ...job.afterPauses.map(({ updates }) => updates)]
  if (pieces.some((updates) => updates.length > MOST_UPDATES)) {
    say(['job', 'updates'], `this makes more than ${MOST_UPDATES} updates: write a longer wait after every`)
  } else if (job.durationUs === undefined && horizonUs === undefined) {
    say(['job'], 'a job that never ends needs an end for the run: add horizon: 24h')
  }
}

function warningsAbout(scenario: Scenario): string[] {
  const { horizonUs, job, replications, agent } = scenario
  const warnings: string[] = []
  if (job.durationUs !== undefined && horizonUs <= job.durationUs) {
    warnings.push(
      `the run stops at ${formatDuration(horizonUs)} (horizon), and the job ends at ${formatDuration(job.durationUs)}: nobody can learn of the end`,
    )
  }
  if (replications > 1 && !isRandom(scenario)) {
    warnings.push(`nothing in this scenario is random: all ${replications} runs are alike (replications)`)
  }
  if (agent.polling.etag && agent.binding === 'JSONRPC') {
    warnings.push('JSON-RPC answers have no tags: agent.polling.etag changes nothing over JSONRPC')
  }
  return warnings
}
