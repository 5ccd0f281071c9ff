/** What `show` and the lines above a table say of a fleet. */
import { formatDuration, spellDuration } from '../kernel/units.ts'
import type { Fleet } from './fleet.ts'
import { nodeAt, type MapNode } from './node.ts'

/** Values nobody wrote, by their addresses. */
export function fleetDefaults(fleet: Fleet): (readonly [string, unknown])[] {
  const { arrivals, warmupUs, windowUs, cooldownUs, clients, binUs } = fleet
  const isSpread = arrivals.of !== 'together' && arrivals.of !== 'trace'
  return [
    ...(arrivals.of === 'poisson' || arrivals.of === 'together'
      ? [['fleet.arrivals', arrivals.of] as const]
      : []),
    ...(isSpread ? [['fleet.within', formatDuration(arrivals.withinUs)] as const] : []),
    ['fleet.warmup', formatDuration(warmupUs)],
    ...(windowUs === Infinity ? [] : [['fleet.window', formatDuration(windowUs)] as const]),
    ...(cooldownUs === undefined ? [] : [['fleet.cooldown', formatDuration(cooldownUs)] as const]),
    ...(clients === undefined
      ? [['fleet.tasksPerClient', 1] as const]
      : [['fleet.clients', clients] as const]),
    ['fleet.bin', formatDuration(binUs)],
  ]
}

/** What nobody said of a fleet and a result rests on, one sentence each. */
export function fleetAssumptions(root: MapNode, fleet: Fleet): string[] {
  const { arrivals, warmupUs, windowUs, cooldownUs, clients } = fleet
  const said = (key: string) => nodeAt(root, ['fleet', key]) !== undefined
  const sentences: string[] = []
  const say = (isTrue: boolean, sentence: string) => {
    if (isTrue) sentences.push(sentence)
  }
  say(
    arrivals.of === 'poisson' && !said('arrivals'),
    'tasks come independently of each other (fleet.arrivals)',
  )
  say(
    !said('warmup') && arrivals.of !== 'together' && warmupUs === 0,
    'all is counted from the start (fleet.warmup)',
  )
  if (!said('window')) {
    say(windowUs === Infinity, 'all is counted until the last task is over (fleet.window)')
    say(
      windowUs !== Infinity && arrivals.of === 'trace',
      `what is counted ends with the trace, ${spellDuration(windowUs)} after the warm-up (fleet.window)`,
    )
  }
  say(
    !said('cooldown') && cooldownUs === undefined && windowUs !== Infinity,
    'after the window the run goes on until its tasks are over, at most 1 h (fleet.cooldown)',
  )
  say(clients === undefined, 'each task has a client of its own (fleet.tasksPerClient)')
  return sentences
}
