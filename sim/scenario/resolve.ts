/** A scenario in long form to one that can be run: defaults filled in, durations in µs, everything checked. */
import type * as z from 'zod'
import { formatDuration, parseDuration } from '../kernel/units.ts'
import { readExpectations } from './expect.ts'
import { problemsOf, sentenceOf, unknownKey } from './issues.ts'
import { checkFaultyJob, resolveJob, type Say } from './job.ts'
import { resolveMechanisms } from './mechanisms.ts'
import { entryOf, nodeAt, placeOf, plain, type MapNode, type Path } from './node.ts'
import type { Place } from './place.ts'
import { problemAt, type Problem } from './problem.ts'
import type { Scenario } from './scenario.ts'
import { MechanismMap, ScenarioSchema, type JobMap, type ScenarioShape } from './schema.ts'
import { parseThreshold } from './threshold.ts'
import { durationUs } from './values.ts'

/** How long a run goes on after the end of the job, if the file does not say. */
const AFTER_THE_END_US = parseDuration('1h') as number

type Section = keyof ScenarioShape

interface Context {
  /** The name of a scenario that gives none. */
  fileName: string
  files: Scenario['files']
  /** False when the command line changed what the file's expectations are about. */
  expectationsApply: boolean
}

/** The scenario, or every problem that could be found. Problems already known keep their sections unread. */
export function resolve(
  root: MapNode,
  { fileName, files, expectationsApply }: Context,
  known: readonly Problem[],
): { scenario: Scenario; warnings: string[] } | { problems: readonly Problem[] } {
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

  const jobInput = read('job')
  const jobNode = entryOf(root, 'job')?.node
  if (jobNode === undefined) say([], 'the scenario says nothing about the job: add job: 20s')
  const job = jobInput === undefined ? undefined : resolveJob(jobInput as z.output<typeof JobMap>, say)
  if (jobInput === undefined && jobNode !== undefined) checkFaultyJob(plain(jobNode), say)

  read('mechanisms')
  const before = problems.length
  const list = entryOf(root, 'mechanisms')?.node
  const entries =
    list?.of === 'list' ? list.items.map((item) => MechanismMap.safeParse(plain(item)).data) : []
  const mechanisms = resolveMechanisms(entries, say)
  // A word that could not be read is still a text here, and was told.
  const mechanismsAreFine = problems.length === before && entries.every((entry) => entry !== undefined)

  const expected = readExpectations(root, mechanismsAreFine && expectationsApply ? mechanisms : undefined)
  problems.push(...expected.problems)

  const horizon = read('horizon')
  const horizonUs = horizon === undefined ? undefined : durationUs(horizon)
  if (horizonUs === 0) say(['horizon'], 'a horizon of 0 leaves no time for the run')
  const [name, question, description, source] = [
    read('name'),
    read('question'),
    read('description'),
    read('source'),
  ]
  const [seed, agent, network, thresholds] = [
    read('seed'),
    read('agent'),
    read('network'),
    read('thresholds'),
  ]

  if (problems.length > 0 || !job || !agent || !network || !thresholds || seed === undefined) {
    return { problems }
  }
  const { up, down } = network.latency as { up: string | 0; down: string | 0 }
  const scenario: Scenario = {
    name: name ?? fileName,
    files,
    question,
    description,
    sources: source === undefined ? [] : [source].flat(),
    seed,
    horizonUs: horizonUs ?? job.durationUs + AFTER_THE_END_US,
    job,
    agent: {
      binding: agent.binding,
      errorProfile: agent.errorProfile,
      // A map without keys says as little as `true`.
      streaming: agent.streaming !== false,
      push: agent.push !== false,
    },
    network: { latencyUs: { up: durationUs(up), down: durationUs(down) } },
    mechanisms,
    thresholds: thresholds.map((expression) => {
      const parsed = parseThreshold(expression)
      if ('problem' in parsed) throw new Error(`a checked threshold is wrong: ${parsed.problem}`)
      return parsed.threshold
    }),
    expectations: expectationsApply ? expected.expectations : [],
  }
  return { scenario, warnings: warningsAbout(scenario) }
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

function warningsAbout({ horizonUs, job }: Scenario): string[] {
  if (horizonUs > job.durationUs) return []
  return [
    `the run stops at ${formatDuration(horizonUs)} (horizon), and the job ends at ${formatDuration(job.durationUs)}: nobody can learn of the end`,
  ]
}
