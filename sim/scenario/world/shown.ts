/** What `show` and the lines above a table say of the world: values nobody wrote, and those a result rests on. */
import { formatDuration, spellDuration } from '../../kernel/units.ts'
import { distributionText } from '../distribution.ts'
import { isRandom } from '../chance.ts'
import { nodeAt, type MapNode } from '../node.ts'
import type { SinglePolicy } from '../../policies/policy.ts'
import { singlesOf } from '../../policies/singles.ts'
import type { Scenario } from '../scenario.ts'

type Shown = readonly [path: string, value: unknown]

/** Values nobody wrote, by their addresses. Of maps with many keys, those of the maps the file has. */
export function worldDefaults(root: MapNode, scenario: Scenario): Shown[] {
  const { agent, client, network, receiver } = scenario
  const isMap = (...path: string[]) => nodeAt(root, path)?.of === 'map'
  const within = (path: readonly string[], values: Readonly<Record<string, unknown>>): Shown[] =>
    isMap(...path) ? Object.entries(values).map(([key, value]) => [[...path, key].join('.'), value]) : []
  const { streaming, push, polling } = agent
  return [
    ['agent.binding', agent.binding],
    ['agent.protocol', agent.protocol],
    ['agent.errorProfile', agent.errorProfile],
    ...within(['agent', 'polling'], {
      ...(polling.hints.length > 0 ? { hintVia: polling.hintVia } : {}),
      ...(polling.minIntervalUs === undefined ? {} : { tooSoon: polling.tooSoon.answer }),
      etag: polling.etag,
    }),
    ['agent.streaming', streaming !== false],
    ...(streaming === false
      ? []
      : within(['agent', 'streaming'], {
          heartbeat: 'none',
          flush: streaming.flush,
          replay: 'none',
          closeOnInput: streaming.closeOnInput,
        })),
    ['agent.push', push !== false],
    ...(push === false
      ? []
      : within(['agent', 'push'], {
          timeout: formatDuration(push.timeoutUs),
          events: push.events,
          ordered: push.ordered,
          giveUp: push.giveUp,
          signature: push.signature,
        })),
    ['agent.blocking', agent.blocking !== false],
    ...within(['client'], { card: client.card }),
    ['network.latency.up', distributionText(network.latency.up)],
    ['network.latency.down', distributionText(network.latency.down)],
    ...(receiver === 'none'
      ? []
      : within(['receiver'], {
          answer: receiver.answer,
          dedupe: receiver.dedupe,
          accepts: receiver.accepts,
        })),
  ]
}

/** What nobody said of the world and a result rests on, one sentence each. */
export function worldAssumptions(root: MapNode, scenario: Scenario): string[] {
  const { agent, job, receiver } = scenario
  const said = (...path: string[]) => nodeAt(root, path) !== undefined
  const policies = scenario.mechanisms.flatMap(({ policy, mix = [{ policy }] }) =>
    mix.map((part) => part.policy),
  )
  const singles = policies.flatMap(singlesOf)
  const hasPush = singles.some(({ kind }) => kind === 'push')
  const sentences: string[] = []
  const say = (isTrue: boolean, sentence: string) => {
    if (isTrue) sentences.push(sentence)
  }
  const up = said('network', 'latency', 'up')
  const down = said('network', 'latency', 'down')
  say(!up && !down, 'no latency between client and agent (network.latency)')
  say(!up && down, 'no latency from client to agent (network.latency.up)')
  say(up && !down, 'no latency from agent to client (network.latency.down)')
  // Where client and agent are apart, a push that is on time would mislead without this.
  say(
    hasPush && receiver !== 'none' && !said('receiver', 'latency'),
    'webhook posts reach their receiver without latency (receiver.latency)',
  )
  say(!said('agent', 'binding'), `A2A over ${agent.binding} (agent.binding)`)
  say(
    agent.protocol === 'mcp-tasks',
    "A2A's messages are played for mcp-tasks: counts and times hold, octets do not (agent.protocol)",
  )
  say(
    hasPush && mayFail(root) && !said('agent', 'push', 'retry') && singles.some(leavesRetry),
    'a webhook post that fails is tried again after 1 s and after 2 s, and then dropped (agent.push.retry)',
  )
  say(mayHang(root) && !said('client'), 'the client sets itself no limits (client)')
  if (!said('horizon') && scenario.fleet === undefined) {
    const rest = spellDuration(scenario.horizonUs - (job.durationUs ?? 0))
    sentences.push(`the run stops ${rest} after the end of the job (horizon)`)
  }
  say(
    scenario.replications === 1 && isRandom(scenario),
    `one run of what is left to chance, with seed ${scenario.seed} (replications)`,
  )
  say(isOpen(scenario), "texts the scenario leaves open are the agent's own words")
  return sentences
}

const leavesRetry = (policy: SinglePolicy): boolean =>
  policy.kind === 'push' && policy.sending.retry === undefined

/** Whether a post may meet a receiver that does not take it. */
const mayFail = (root: MapNode): boolean =>
  nodeAt(root, ['faults']) !== undefined || nodeAt(root, ['receiver']) !== undefined

/** Whether an answer may stay away. */
const mayHang = (root: MapNode): boolean =>
  [['network', 'hops'], ['network', 'loss'], ['faults']].some((path) => nodeAt(root, path) !== undefined)

const isOpen = ({ job }: Scenario): boolean =>
  job.message === undefined ||
  [job, ...job.afterPauses].some(({ updates }) =>
    updates.some(({ change }) => change.content === undefined && change.of === 'artifact'),
  )
