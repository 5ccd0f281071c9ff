/**
 * `npm run perf`: how fast the simulator is, on this machine, today. Prints and
 * fails nothing: whether a figure is good is for people to say, who know the
 * machine. Ratios within one run travel better than absolute times.
 */
import { execFileSync } from 'node:child_process'
import { cpus } from 'node:os'
import { join } from 'node:path'
import type { MechanismEntry, Policy, Scenario, Update } from '../../sim/index.ts'
import { replay } from '../../sim/replay/index.ts'

const SECOND_US = 1_000_000
const HOUR_US = 3600 * SECOND_US
const ROOT = join(import.meta.dirname, '..', '..')

const line = (text: string) => process.stdout.write(`${text}\n`)

const POLL_EACH_SECOND: Policy = {
  kind: 'poll',
  intervalUs: SECOND_US,
  firstAfterUs: 0,
  waitFrom: 'response',
}
const entry: MechanismEntry = { label: undefined, word: 'poll:1s', policy: POLL_EACH_SECOND }

/** A job of so many hours: working at once, completed at the end. */
function jobOf(hours: number, binding: Scenario['agent']['binding']): Scenario {
  const durationUs = hours * HOUR_US
  const updates: Update[] = [
    { atUs: 0, change: { of: 'status', state: 'working', content: undefined } },
    { atUs: durationUs, change: { of: 'status', state: 'completed', content: undefined } },
  ]
  return {
    name: `poll-${hours}h`,
    files: [{ file: '', sha256: '' }],
    question: undefined,
    description: undefined,
    sources: [],
    seed: 1,
    horizonUs: durationUs + HOUR_US,
    job: { message: undefined, updates, durationUs },
    agent: { binding, errorProfile: '1.0.1', streaming: true, push: true },
    network: { latencyUs: { up: 0, down: 0 } },
    mechanisms: [entry],
    thresholds: [],
    expectations: [],
  }
}

/** Heap in use after a collection, MB; `undefined` without --expose-gc. */
function heapMb(): number | undefined {
  if (globalThis.gc === undefined) return undefined
  globalThis.gc()
  return process.memoryUsage().heapUsed / 2 ** 20
}

interface Timed {
  requests: number
  records: number
  wallMs: number
  heap: number | undefined
}

async function timed(scenario: Scenario): Promise<Timed> {
  const began = process.hrtime.bigint()
  const { row, records } = await replay(scenario, entry)
  const wallMs = Number(process.hrtime.bigint() - began) / 1e6
  return { requests: row.requests, records: records.length, wallMs, heap: heapMb() }
}

const perRequest = ({ wallMs, requests }: Timed) =>
  `${((wallMs * 1000) / requests).toFixed(1)} µs per request`

line(
  `machine: ${cpus()[0]?.model.trim() ?? 'unknown'}, ${cpus().length} cores, Node ${process.version}, ${process.platform}`,
)

await timed(jobOf(1, 'HTTP+JSON'))
for (const binding of ['HTTP+JSON', 'JSONRPC'] as const) {
  const hour = await timed(jobOf(1, binding))
  const day = await timed(jobOf(24, binding))
  line(`${binding}, a poll each second through client, wire and agent:`)
  line(`  1 h:  ${hour.requests} requests in ${hour.wallMs.toFixed(0)} ms, ${perRequest(hour)}`)
  line(
    `  24 h: ${day.requests} requests in ${day.wallMs.toFixed(0)} ms, ${perRequest(day)}, ${day.records} records`,
  )
  if (hour.heap !== undefined && day.heap !== undefined)
    line(`  heap after the day ${(day.heap - hour.heap).toFixed(1)} MB above that after the hour`)
  else line('  heap: run node with --expose-gc')
}

const began = process.hrtime.bigint()
execFileSync(process.execPath, ['--import', 'tsx', 'bench/cli.ts'], { cwd: ROOT })
line(
  `npm run bench without npm, start-up included: ${(Number(process.hrtime.bigint() - began) / 1e6).toFixed(0)} ms`,
)
