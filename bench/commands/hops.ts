/** Which hop cuts a scenario's streams, when, and what the user loses. Computed, not replayed. */
import {
  adviceFor,
  leftOut,
  matrixOf,
  parseDuration,
  streamsOf,
  stretchesOf,
  titleOf,
  type Heartbeat,
  type LoadedScenario,
} from '../../sim/index.ts'
import { EXIT, type ExitCode, UsageError } from '../exit.ts'
import { formatOption, type Given, heartbeatOption, scenarioOptions } from '../options.ts'
import { presentHops, type HopsResult } from '../present/hops.ts'
import { type Terminal, USUAL_COLUMNS } from '../terminal.ts'
import { loadOne, note, onlyScenario } from './loading.ts'

/** What people try first: none, WHATWG's advice, just under the usual 60 s, and too seldom. */
const USUAL_LEVELS = ['none', '15s', '50s', '90s']

export function hops(words: readonly string[], given: Given, terminal: Terminal): Promise<ExitCode> {
  const file = onlyScenario('hops', words)
  const format = formatOption(given)
  const options = scenarioOptions(given)
  const levels = heartbeatOption(given)
  const loaded = withStreams(file, options)
  const { scenario } = loaded
  if (stretchesOf(scenario).length === 0)
    throw new UsageError(
      `${file}: nothing stands between client and agent here that could cut\n` +
        `say what does: network: { hops: [nginx] } in the file, or --set 'network.hops=[nginx]' ` +
        '(delivery-bench policies hop lists them)',
    )
  if (scenario.agent.streaming === false)
    throw new UsageError(`${file}: its agent does not stream, so no hop can cut a stream`)

  const result: HopsResult = {
    scenario,
    matrices: streamsOf(scenario).map(({ entry, policy, isPart }) => ({
      title: isPart
        ? `the stream of ${entry.word}`
        : (entry.label ?? titleOf({ ...policy, heartbeat: undefined })),
      policy: entry.word,
      matrix: matrixOf(scenario, policy, heartbeatsOf(levels, loaded)),
      advice: adviceFor(scenario, policy),
    })),
    leftOut: leftOut(scenario),
  }
  const { columns = USUAL_COLUMNS, colour = false } = terminal
  terminal.stdout.write(presentHops(result, format, { columns, colour }))
  note(loaded.warnings, terminal, given['quiet'] === true)
  return Promise.resolve(EXIT.fine)
}

/** The scenario with the mechanisms asked for; where none of them streams, with the official client's stream. */
function withStreams(file: string, options: Parameters<typeof loadOne>[1]): LoadedScenario {
  const loaded = loadOne(file, options)
  if (streamsOf(loaded.scenario).length > 0) return loaded
  if (options.mechanisms.length > 0)
    throw new UsageError(
      `${options.mechanisms.join(', ')}: none of these is a stream; try -m stream:reconnect=3s`,
    )
  return loadOne(file, { ...options, mechanisms: ['stream', 'stream:reconnect=3s'] })
}

/** The levels asked for; else the usual ones and whatever the scenario itself has. */
function heartbeatsOf(
  asked: readonly string[] | undefined,
  { scenario }: LoadedScenario,
): readonly (Heartbeat | 'none')[] {
  const { streaming } = scenario.agent
  const own = [
    ...(streaming === false ? [] : [streaming.heartbeat]),
    ...streamsOf(scenario).map(({ policy }) => policy.heartbeat),
  ].filter((heartbeat): heartbeat is Heartbeat => typeof heartbeat === 'object')
  const octets = own[0]?.octets ?? 8
  const when = own[0]?.when ?? 'always'
  const levels = (asked ?? USUAL_LEVELS).map((text): Heartbeat | 'none' => {
    if (text === 'none') return 'none'
    const everyUs = parseDuration(text)
    if (everyUs === undefined || everyUs === 0)
      throw new UsageError(`--heartbeat ${text}: write none or a duration such as 15s, several with commas`)
    return { everyUs, octets, when }
  })
  const all = asked === undefined ? [...levels, ...own] : levels
  const everyUs = (level: Heartbeat | 'none') => (level === 'none' ? 0 : level.everyUs)
  return all
    .filter((level, i) => all.findIndex((other) => everyUs(other) === everyUs(level)) === i)
    .toSorted((a, b) => everyUs(a) - everyUs(b))
}
