import { describe, expect, test } from 'vitest'
import type { Binding } from '../protocol/a2a.ts'
import type { PollingSettings } from '../scenario/scenario.ts'
import { onStage, type Stage } from '../testing/agent-stage.ts'
import { jobOf, seconds, status } from '../testing/scenario.ts'
import { settingsWith } from './settings.ts'

const pollingOf = (changes: Partial<PollingSettings>): PollingSettings => ({
  ...settingsWith().polling,
  minIntervalUs: seconds(5),
  ...changes,
})

/** The word for what a poll got: its state, the reason of its error. */
async function poll(stage: Stage, id: string, binding: Binding = 'HTTP+JSON'): Promise<string> {
  const outcome = await stage.ask(binding, 'GetTask', { id })
  return 'error' in outcome
    ? outcome.error.reason
    : (outcome.result as { status: { state: string } }).status.state
}

/**
 * A device flow: the person approves after 62 s, the code is good for 899 s, the
 * client's clock runs 10 % fast. The client waits `firstSeconds` by its own
 * clock and then `waitAfter` the answer before.
 */
async function deviceFlow(
  addSeconds: number,
  firstSeconds: number,
  waitAfter: (waitSeconds: number, said: string) => number,
) {
  const polling = pollingOf({ tooSoon: { answer: 'slow-down', addUs: seconds(addSeconds) } })
  const settings = { polling, ttl: { afterUs: seconds(899), from: 'creation' as const } }
  const job = jobOf([status(seconds(62), 'completed')])
  const { records, value } = await onStage({ job, settings }, async (stage) => {
    const { id } = await stage.send()
    let waitSeconds = firstSeconds
    for (;;) {
      await stage.clock.sleep(Math.round(seconds(waitSeconds) / 1.1))
      const said = await poll(stage, id)
      const over = said === 'TASK_STATE_COMPLETED' || said === 'TASK_NOT_FOUND'
      if (over) return { said, atMs: Math.round(stage.clock.nowUs() / 1000) }
      waitSeconds = waitAfter(waitSeconds, said)
    }
  })
  const slowDowns = records.flatMap((one) => (one.kind === 'slow-down' ? [Math.round(one.atUs / 1000)] : []))
  return { ...value, slowDowns }
}

describe('a device flow with a clock that runs 10 % fast', () => {
  const byRfc8628 = (wait: number, said: string) => (said === 'SLOW_DOWN' ? wait + 5 : wait)

  test('one slow_down helps a client that adds 5 s: the first gap counts from the creation', async () => {
    expect(await deviceFlow(0, 5, byRfc8628)).toEqual({
      said: 'TASK_STATE_COMPLETED',
      atMs: 62_000 + 6182,
      slowDowns: [4545],
    })
  })

  test('a margin of 20 % does without', async () => {
    expect(await deviceFlow(0, 5 * 1.2, (wait) => wait)).toEqual({
      said: 'TASK_STATE_COMPLETED',
      atMs: 62_000 + 3455,
      slowDowns: [],
    })
  })

  test('a server whose gap grows as well is never caught up with: 19 slow_downs until the code has expired', async () => {
    const { said, slowDowns } = await deviceFlow(5, 5, byRfc8628)
    expect(said).toBe('TASK_NOT_FOUND')
    expect(slowDowns).toHaveLength(19)
    expect(slowDowns.at(-1)).toBe(863_636)
  })
})

test('the gap is counted from the poll before, answered or refused; exactly at the gap is fine', async () => {
  const settings = { polling: pollingOf({}) }
  const job = jobOf([status(seconds(100), 'completed')])
  const { value } = await onStage({ job, settings }, async (stage) => {
    const { id } = await stage.send()
    const said: [number, string][] = []
    for (const atSeconds of [5, 9, 13.999999, 18.999999, 100]) {
      await stage.at(atSeconds)
      said.push([atSeconds, await poll(stage, id, 'JSONRPC')])
    }
    return said
  })
  expect(value).toEqual([
    [5, 'TASK_STATE_SUBMITTED'],
    [9, 'SLOW_DOWN'],
    [13.999999, 'SLOW_DOWN'],
    [18.999999, 'TASK_STATE_SUBMITTED'],
    [100, 'TASK_STATE_COMPLETED'],
  ])
})

test.each<[Binding, PollingSettings['tooSoon']['answer'], number, string | null]>([
  ['HTTP+JSON', 'slow-down', 400, null],
  ['JSONRPC', 'slow-down', 200, null],
  ['HTTP+JSON', 429, 429, '8'],
  ['JSONRPC', 429, 429, '8'],
])('%s answers %s with HTTP status %d', async (binding, answer, httpStatus, retryAfter) => {
  const settings = { polling: pollingOf({ tooSoon: { answer, addUs: seconds(2.5) } }) }
  const job = jobOf([status(seconds(100), 'completed')])
  const { records } = await onStage({ job, settings }, async (stage) => {
    const { id } = await stage.send()
    const response = await stage.call(binding, 'GetTask', { id })
    expect([response.status, response.headers.get('retry-after')]).toEqual([httpStatus, retryAfter])
    // Another task has a pace of its own.
    const other = await stage.send()
    await stage.at(5)
    expect(await poll(stage, other.id, binding)).toBe('TASK_STATE_SUBMITTED')
  })
  expect(records.filter(({ kind }) => kind === 'slow-down')).toHaveLength(answer === 429 ? 0 : 1)
})
