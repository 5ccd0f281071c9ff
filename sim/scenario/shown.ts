/** Every value of a scenario with where it came from, and what was left at its default. */
import { formatDuration } from '../kernel/units.ts'
import { TERMINAL_WORDS } from '../protocol/states.ts'
import { plain, type MapNode, type Node, type Path } from './node.ts'
import { isFile, lineAndColumn, type Origin } from './place.ts'
import { fleetAssumptions, fleetDefaults } from './fleet-shown.ts'
import { isBarePolicy, policyAssumptions, policyDefaults } from './policies/shown.ts'
import type { Scenario } from './scenario.ts'
import { worldAssumptions, worldDefaults } from './world/shown.ts'

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
  for (const [path, value] of defaultsOf(root, scenario, isListed)) {
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
  const where = isFile(source) ? { file: source.name, line: lineAndColumn(node.at).line } : {}
  const isBare = isBarePolicy(path, node)
  // Its keys are listed among the defaults.
  if (isBare && path.length === 3 && path[2] === 'poll') return
  shown.push({
    path: (isBare ? path.slice(0, -1) : path).join('.'),
    value: isBare ? path.at(-1) : plain(node),
    origin: source.origin,
    ...where,
  })
}

/** Values nobody wrote, by their addresses. */
function defaultsOf(root: MapNode, scenario: Scenario, isListed: boolean): (readonly [string, unknown])[] {
  const { fleet } = scenario
  return [
    ['name', scenario.name],
    ['seed', scenario.seed],
    ['replications', scenario.replications],
    ...(scenario.horizonUs === Infinity ? [] : [['horizon', formatDuration(scenario.horizonUs)] as const]),
    ...(fleet === undefined ? jobDefaults(scenario, isListed) : fleetDefaults(fleet)),
    ...worldDefaults(root, scenario),
    ...policyDefaults(scenario.mechanisms),
  ]
}

function jobDefaults({ job }: Scenario, isListed: boolean): (readonly [string, unknown])[] {
  const end = (job.afterPauses.at(-1) ?? job).updates.at(-1)?.change
  return [
    ...(job.durationUs === undefined ? [] : [['job.duration', formatDuration(job.durationUs)] as const]),
    ['job.updates', 1],
    // A terminal update in the list says the outcome itself.
    ...(isListed || job.durationUs === undefined
      ? []
      : [['job.outcome', end?.of === 'status' ? end.state : undefined] as const]),
  ]
}

/** What nobody said and the result rests on, one sentence each. */
export const assumptionsOf = (root: MapNode, scenario: Scenario): string[] => [
  ...(scenario.fleet === undefined ? [] : fleetAssumptions(root, scenario.fleet)),
  ...worldAssumptions(root, scenario),
  ...policyAssumptions(root, scenario.mechanisms),
]
