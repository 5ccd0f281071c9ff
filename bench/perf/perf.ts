/**
 * `npm run perf`: how fast the simulator is, on this machine, today. Prints and
 * fails nothing: whether a figure is good is for people to say, who know the
 * machine. Ratios within one run travel better than absolute times.
 */
import { execFileSync } from 'node:child_process'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { loadScenario, type MechanismEntry, type Scenario } from '../../sim/index.ts'
import { replay } from '../../sim/replay/index.ts'
import { measureFleet } from './fleet.ts'

const ROOT = join(import.meta.dirname, '..', '..')

const line = (text: string) => process.stdout.write(`${text}\n`)

/** A job of so many hours, polled each second: working at once, completed at the end. */
function jobOf(hours: number, binding: string): { scenario: Scenario; entry: MechanismEntry } {
  const file = join(ROOT, 'scenarios', 'thorough-search.yaml')
  const set = [`job={ duration: ${hours}h, updates: [{ at: 0s, status: working }] }`]
  const { scenario } = loadScenario(file, { set, mechanisms: ['poll:1s'], binding })
  const [entry] = scenario.mechanisms
  if (entry === undefined) throw new Error('a scenario with one mechanism has one')
  return { scenario, entry }
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

async function timed({ scenario, entry }: ReturnType<typeof jobOf>): Promise<Timed> {
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
measureFleet(line)
