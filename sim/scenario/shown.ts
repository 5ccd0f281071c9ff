/** Every value of a scenario with where it came from, and what was left at its default. */
import { formatDuration, spellDuration } from '../kernel/units.ts'
import { TERMINAL_WORDS } from '../protocol/states.ts'
import { entryOf, nodeAt, plain, type MapNode, type Node, type Path } from './node.ts'
import { lineAndColumn, type Origin } from './place.ts'
import type { Scenario } from './scenario.ts'

/** One value as `show` prints it. */
export interface ShownValue {
  /** Its address: `job.updates.0.at`. */
  path: string
  /** As a scenario writes it. */
  value: unknown
  origin: Origin
  file?: string
  line?: number
}

/** All values in the order of the file; what was not written stands after what was, in the order of the reference. */
export function shownValues(root: MapNode, scenario: Scenario): ShownValue[] {
  const shown: ShownValue[] = []
  walk(root, [], shown)
  const isListed = shown.some(
    ({ path, value }) => path.endsWith('.status') && TERMINAL_WORDS.some((w) => w === value),
  )
  for (const [path, value] of defaultsOf(scenario, isListed)) {
    if (shown.some((other) => other.path === path || other.path.startsWith(`${path}.`))) continue
    const entry: ShownValue = { path, value, origin: 'default' }
    const parent = path.slice(0, path.lastIndexOf('.') + 1)
    const last = parent === '' ? -1 : shown.findLastIndex((other) => other.path.startsWith(parent))
    if (last < 0) shown.push(entry)
    else shown.splice(last + 1, 0, entry)
  }
  return shown
}

function walk(node: Node, path: Path, shown: ShownValue[]): void {
  const isLeaf =
    node.of === 'scalar' ||
    path.at(-1) === 'data' ||
    (node.of === 'list' && node.items.every((item) => item.of === 'scalar')) ||
    (node.of === 'map' && node.entries.size === 0)
  if (!isLeaf) {
    if (node.of === 'list') node.items.forEach((item, index) => walk(item, [...path, index], shown))
    else for (const [key, entry] of node.entries) walk(entry.node, [...path, key], shown)
    return
  }
  const { source } = node.at
  const isFile = source.origin === 'file' || source.origin === 'base'
  const where = isFile ? { file: source.name, line: lineAndColumn(node.at).line } : {}
  // `stream` and `push` have no keys: the entry is the word.
  const isBare = path[0] === 'mechanisms' && path.length === 3 && node.of === 'map'
  if (isBare && path[2] === 'poll') return
  shown.push({
    path: (isBare ? path.slice(0, 2) : path).join('.'),
    value: isBare ? path[2] : plain(node),
    origin: source.origin,
    ...where,
  })
}

/** Values nobody wrote, by their addresses. */
function defaultsOf(scenario: Scenario, isListed: boolean): (readonly [string, unknown])[] {
  const { job, agent, network, mechanisms } = scenario
  const end = job.updates.at(-1)?.change
  return [
    ['name', scenario.name],
    ['seed', scenario.seed],
    ['horizon', formatDuration(scenario.horizonUs)],
    ['job.duration', formatDuration(job.durationUs)],
    ['job.updates', 1],
    // A terminal update in the list says the outcome itself.
    ...(isListed ? [] : [['job.outcome', end?.of === 'status' ? end.state : undefined] as const]),
    ['agent.binding', agent.binding],
    ['agent.errorProfile', agent.errorProfile],
    ['agent.streaming', agent.streaming],
    ['agent.push', agent.push],
    ['network.latency.up', formatDuration(network.latencyUs.up)],
    ['network.latency.down', formatDuration(network.latencyUs.down)],
    ...mechanisms.flatMap(({ policy }, index) =>
      policy.kind === 'poll'
        ? ([
            [`mechanisms.${index}.poll.interval`, formatDuration(policy.intervalUs)],
            [`mechanisms.${index}.poll.first`, 'now'],
            [`mechanisms.${index}.poll.waitFrom`, policy.waitFrom],
          ] as const)
        : [],
    ),
  ]
}

/** What nobody said and the result rests on, one sentence each. */
export function assumptionsOf(root: MapNode, scenario: Scenario): string[] {
  const said = (...path: string[]) => nodeAt(root, path) !== undefined
  const sentences: string[] = []
  const up = said('network', 'latency', 'up')
  const down = said('network', 'latency', 'down')
  if (!up && !down) sentences.push('no latency between client and agent (network.latency)')
  else if (!up) sentences.push('no latency from client to agent (network.latency.up)')
  else if (!down) sentences.push('no latency from agent to client (network.latency.down)')
  // Where client and agent are apart, a push that is on time would mislead without this.
  if (scenario.mechanisms.some(({ policy }) => policy.kind === 'push'))
    sentences.push('webhook posts reach their receiver without latency (receiver.latency, a later release)')
  if (!said('agent', 'binding')) sentences.push(`A2A over ${scenario.agent.binding} (agent.binding)`)
  if (!said('horizon')) {
    const rest = spellDuration(scenario.horizonUs - scenario.job.durationUs)
    sentences.push(`the run stops ${rest} after the end of the job (horizon)`)
  }
  if (isOpen(scenario)) sentences.push("texts the scenario leaves open are the agent's own words")
  const mechanisms = entryOf(root, 'mechanisms')?.node
  const polls =
    mechanisms?.of === 'list' ? mechanisms.items.flatMap((item) => entryOf(item, 'poll')?.node ?? []) : []
  const unsaid = (key: string) => polls.some((poll) => entryOf(poll, key) === undefined)
  if (unsaid('interval')) sentences.push('polls wait 5 s (poll.interval)')
  if (unsaid('first')) sentences.push('the first poll follows the reply to the send at once (poll.first)')
  if (unsaid('waitFrom')) sentences.push('each wait between polls begins with the answer (poll.waitFrom)')
  return sentences
}

const isOpen = ({ job }: Scenario): boolean =>
  job.message === undefined ||
  job.updates.some(({ change }) => change.content === undefined && change.of === 'artifact')
