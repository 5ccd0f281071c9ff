/** A scenario in long form to one that can be run: defaults filled in, durations in µs, everything checked. */
import type * as z from 'zod'
import type { ReadColumn } from './distribution.ts'
import type { Columns } from './columns.ts'
import { readExpectations, type GivenEntry } from './expect.ts'
import type { Expectation } from './expectation.ts'
import { problemsOf, sentenceOf, unknownKey } from './issues.ts'
import { isRandomJob } from './job-plan.ts'
import { resolveMechanisms } from './mechanisms.ts'
import { entryOf, nodeAt, placeOf, plain, type MapNode, type Node, type Path } from './node.ts'
import type { Place } from './place.ts'
import { canonicalWord } from './policies/canonical.ts'
import type { Library } from './policies/library.ts'
import { DEFAULT_CHOICES } from './policies/mechanism.ts'
import { MechanismMap } from './policies/schema.ts'
import { problemAt, type Problem } from './problem.ts'
import { isFleet, resolveRuns, type ReadSection } from './resolve-runs.ts'
import { drawn } from './runs.ts'
import type { Scenario } from './scenario.ts'
import { ScenarioSchema, type ScenarioShape } from './schema.ts'
import type { Say, Surroundings } from './surroundings.ts'
import { resolveSizes } from './wire.ts'
import { resolveThresholds } from './threshold.ts'
import { warningsAbout } from './warnings.ts'
import { resolveAgent } from './world/agent.ts'
import { resolveClient, type ClientMap } from './world/client.ts'
import { resolvePath } from './world/path.ts'
import { resolveReceiver } from './world/receiver.ts'

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
  const read: ReadSection = <K extends keyof ScenarioShape>(key: K) => {
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

  const subject = isFleet(root) ? 'fleet' : 'task'
  const runs = resolveRuns(root, read, columns, around)
  const [agentInput, clientInput, networkInput, receiverInput] = [
    read('agent'),
    read('client'),
    read('network'),
    read('receiver'),
  ]
  const agent = agentInput && resolveAgent(agentInput, around)
  const client = clientInput && resolveClient(clientInput as z.output<typeof ClientMap>)
  const network = networkInput && resolvePath(networkInput, ['network'], around)
  const receiver = receiverInput && resolveReceiver(receiverInput, around)

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
  const mechanisms = resolveMechanisms(entries, { say, library, agent: choices, subject })
  // A word that could not be read is still a text here, and was told.
  const mechanismsAreFine = problems.length === before && entries.every((entry) => entry !== undefined)

  const [expectations, claims] = (['expect', 'claims'] as const).map((section) => {
    const given = typeof expecting === 'object' ? expecting : undefined
    if (given !== undefined && given.section !== section) return []
    const rows = mechanismsAreFine && expecting !== 'none' ? mechanisms : undefined
    const wordOf = (row: Node) => canonicalWord(row, { agent: choices, library })
    const read = readExpectations(root, section, given?.index, rows, wordOf, subject)
    problems.push(...read.problems)
    return read.expectations
  }) as [Expectation[], Expectation[]]

  const [name, question, description, source] = [
    read('name'),
    read('question'),
    read('description'),
    read('source'),
  ]
  const thresholds = resolveThresholds(read('thresholds') ?? [], ['thresholds'], subject, say)
  const sizes = resolveSizes(read('wire'), subject === 'fleet', say)

  if (problems.length > 0 || !runs || !agent || !client || !network || !receiver) {
    return { problems }
  }
  const { undrawn, seed, replications, fleet } = runs
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
    replications,
    ...(isRandomJob(undrawn.job) ? { undrawn } : {}),
    ...(fleet && { fleet }),
    ...(sizes && { sizes }),
    mechanisms,
    thresholds,
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
