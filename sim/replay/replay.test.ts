import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { connect } from '../mechanisms/a2a-client.ts'
import type { Binding } from '../protocol/a2a.ts'
import { loadScenario, readScenario } from '../scenario/index.ts'
import { entryOf, pollEvery, scenarioOf, seconds, status, streamBy } from '../testing/scenario.ts'
import { play, replay } from './replay.ts'

const SCENARIOS = join(import.meta.dirname, '..', '..', 'scenarios')

async function tableOf(name: string, binding: Binding) {
  const { scenario } = loadScenario(join(SCENARIOS, `${name}.yaml`), { binding })
  const table = new Map<string, Awaited<ReturnType<typeof replay>>>()
  for (const entry of scenario.mechanisms) table.set(entry.word, await replay(scenario, entry))
  return (read: (row: Awaited<ReturnType<typeof replay>>['row']) => unknown) =>
    Object.fromEntries([...table].map(([word, { row }]) => [word, read(row)]))
}

describe('the published table', () => {
  test('requests, events and posts, in both bindings', async () => {
    for (const binding of ['HTTP+JSON', 'JSONRPC'] as const) {
      const table = await tableOf('seed-table', binding)
      expect(
        table(({ requests, streamEvents, webhookPosts }) => [requests, streamEvents, webhookPosts]),
      ).toEqual({
        'poll:1s': [102, 0, 0],
        'poll:7s': [17, 0, 0],
        'poll:30s': [6, 0, 0],
        stream: [1, 6, 0],
        push: [1, 0, 5],
      })
      expect(table(({ timeToLearnMs }) => timeToLearnMs)).toEqual({
        'poll:1s': 0,
        'poll:7s': 5000,
        'poll:30s': 20_000,
        stream: 0,
        push: 0,
      })
    }
  })

  test('its bytes are the octets of bodies over HTTP+JSON, all five rows', async () => {
    const table = await tableOf('seed-table', 'HTTP+JSON')
    expect(table(({ octets }) => octets.body)).toEqual({
      'poll:1s': 77_964,
      'poll:7s': 13_415,
      'poll:30s': 5031,
      stream: 2373,
      push: 2578,
    })
  })

  test('head and body, up and down add up', async () => {
    for (const binding of ['HTTP+JSON', 'JSONRPC'] as const) {
      const table = await tableOf('seed-table', binding)
      const sums = Object.values(
        table(({ octets: { total, head, body, up, down } }) => [total, head + body, up + down]),
      )
      for (const sum of sums) expect(new Set(sum as number[]).size).toBe(1)
    }
  })

  test('a job of 20 s: 0, 1 and 10 s late', async () => {
    const table = await tableOf('thorough-search', 'HTTP+JSON')
    expect(table(({ timeToLearnMs }) => timeToLearnMs)).toEqual({
      'poll:1s': 0,
      'poll:7s': 1000,
      'poll:30s': 10_000,
      stream: 0,
      push: 0,
    })
  })
})

test('a longer job leaves no more records: equal polls are folded', async () => {
  const recordsOf = async (minutes: number) => {
    const updates = [status(0, 'working'), status(seconds(minutes * 60), 'completed')]
    return (await replay(scenarioOf({ updates }), entryOf(pollEvery(seconds(1))))).records.length
  }
  expect(await recordsOf(20)).toBe(await recordsOf(5))
})

test('the horizon ends a run in mid-stream: the stream is recorded as open, nobody gave up', async () => {
  const { row, records, endUs } = await replay(scenarioOf({ horizonUs: seconds(60) }), entryOf(streamBy()))
  expect(endUs).toBe(seconds(60))
  expect(row).toMatchObject({
    outcome: 'not-learned',
    streamEvents: 3,
    cuts: 0,
    updates: { happened: 2, learned: 2 },
  })
  expect(records.find(({ kind }) => kind === 'exchange')).toMatchObject({ outcome: 'open', endUs: undefined })
  expect(records.filter(({ kind }) => kind === 'gave-up')).toEqual([])
})

test('an error answer is how a client failed; a mistake in a mechanism is ours', async () => {
  const mistaken = play(scenarioOf(), () => Promise.reject(new TypeError('undefined is not a function')))
  await expect(mistaken).rejects.toThrow('undefined is not a function')
  const refused = await play(scenarioOf(), async (world) => {
    await (await connect(world)).get('no-such-task')
    return { kind: 'learned' }
  })
  expect(refused.records.at(-2)).toMatchObject({ kind: 'gave-up', outcome: 'failed' })
})

test.each([
  { errorProfile: '1.0.1', status: 400 },
  { errorProfile: '1.0.0', status: 415 },
] as const)(
  "the error profile of the scenario is the agent's: $errorProfile",
  async ({ errorProfile, status }) => {
    const scenario = scenarioOf()
    const { records } = await play(
      { ...scenario, agent: { ...scenario.agent, errorProfile } },
      async (world) => {
        const headers = { 'A2A-Version': '1.0', 'Content-Type': 'text/plain' }
        const url = `${world.card.supportedInterfaces[0]?.url}/message:send`
        await world.fetch(url, { method: 'POST', headers, body: '{}' })
        return { kind: 'not-learned', reason: 'it only wanted the error' }
      },
    )
    expect(records.find(({ kind }) => kind === 'exchange')).toMatchObject({ status })
  },
)

test('each question of a task gets its answer, however many there are', async () => {
  const text = `
job:
  updates:
    - { after: 10s, status: input-required, resume: { after: 2s } }
    - { after: 3s, status: auth-required, resume: { after: 1s } }
    - { after: 4s, status: input-required, resume: { after: 5s } }
    - { after: 7s, status: completed }
mechanisms: [poll:1s, 'stream:reconnect=1s', push]
`
  const { scenario } = readScenario(text, 'questions')
  for (const entry of scenario.mechanisms) {
    const { row } = await replay(scenario, entry)
    expect([row.outcome, row.learnedAtMs, row.updates.happened], entry.word).toEqual(['learned', 32_000, 7])
  }
})

test('a run lasts until a post is worked on that came after its sender had given it up', async () => {
  const text = `
job: 30s
faults: [{ from: 15s, to: 55s, hold: receiver }]
receiver: { service: 4s }
mechanisms: ['push:retry=none']
`
  const { scenario } = readScenario(text, 'late-post')
  for (const entry of scenario.mechanisms) {
    const { endUs, leftovers, row } = await replay(scenario, entry)
    expect([row.learnedAtMs, endUs, leftovers.events]).toEqual([59_000, seconds(59), 0])
  }
})

test('a post may bring the end of a task of which no reply has come', async () => {
  const text = `
job: 47s
agent: { streaming: { flush: first-update } }
faults: [{ from: 38s, to: 57s, partition: network }]
mechanisms: ['stream+push:get=each']
`
  const { scenario } = readScenario(text, 'unanswered')
  for (const entry of scenario.mechanisms) {
    const { records, row } = await replay(scenario, entry)
    expect([row.outcome, row.learnedAtMs]).toEqual(['learned', 47_000])
    expect(records.map(({ kind }) => kind)).not.toContain('gave-up')
  }
})

test('a held send that came twice does not outlive its run', async () => {
  const text = `
job: { updates: [{ after: 2s, status: input-required, resume: { after: 8s } }, { after: 60s, status: completed }] }
faults: [{ from: 5s, to: 15s, duplicate: 100% }]
mechanisms: ['blocking:52s,timeout=10s>poll:5s']
`
  const { scenario } = readScenario(text, 'held-twice')
  for (const entry of scenario.mechanisms) {
    const { endUs, row } = await replay(scenario, entry)
    expect([row.outcome, endUs]).toEqual(['learned', seconds(70)])
  }
})

test('a request that came twice does not outlive its run, whoever left before its answer began', async () => {
  const text = `
job: { updates: [{ at: 1s, status: working }, { at: 60s, status: completed }] }
agent: { streaming: { flush: first-update } }
faults: [{ from: 10s, to: 20s, duplicate: 100% }]
mechanisms: ['stream:watchdog=10s,reconnect=1s/1s']
`
  const { scenario } = readScenario(text, 'twice')
  for (const entry of scenario.mechanisms) {
    const { endUs, row } = await replay(scenario, entry)
    expect([row.outcome, row.reason, endUs]).toEqual([
      'not-learned',
      'the client reconnected twice in vain',
      seconds(60),
    ])
  }
})

test('what breaks inside the agent is a fault of ours, not a mechanism that failed', async () => {
  // The loader refuses such a job; the task log does too.
  const updates = [status(0, 'completed'), status(0, 'working')]
  await expect(replay(scenarioOf({ updates }), entryOf(pollEvery(seconds(1))))).rejects.toThrow(/completed/i)
})
