import { describe, expect, test } from 'vitest'
import { formatDuration } from '../kernel/units.ts'
import { readScenario } from '../scenario/index.ts'
import { healedUs, promiseOf } from './promise.ts'

function promised(word: string, world = ''): string {
  const { scenario } = readScenario(`job: 20s\nmechanisms: ['${word}']\n${world}`, 'promise')
  const [entry] = scenario.mechanisms
  if (entry === undefined) throw new Error('a mechanism is missing')
  const promise = promiseOf(entry.policy, scenario)
  return promise.of === 'none' ? promise.because : formatDuration(Math.ceil(promise.withinUs))
}

const ONE_DOWN = 'faults: [{ from: 5s, to: 15s, down: agent }]'
const ONE_CUT_OFF = 'faults: [{ from: 5s, to: 15s, partition: network }]'

// Two minutes are left to latencies and turns.
describe('who promises that the end is learned, and how soon', () => {
  test.each([
    ['poll:5s', '', '2m5s'],
    ['poll:5s', ONE_DOWN, '2m5s'],
    ['poll:5s', ONE_CUT_OFF, 'a poll that hangs is never given up'],
    ['poll:5s,timeout=10s', ONE_CUT_OFF, '2m15s'],
    ['poll:5s,attempts=9', '', 'polls come to an end'],
    ['poll:5s,onError=fail', ONE_DOWN, 'an error ends the polls or stretches them'],
    ['stream', '', 'a stream that was cut is not opened again'],
    ['stream:reconnect=3s', ONE_DOWN, '2m3s'],
    ['stream:reconnect=3s', ONE_CUT_OFF, 'a silence is never given up'],
    ['stream:reconnect=3s,watchdog=20s,timeout=5s', ONE_CUT_OFF, '2m28s'],
    ['stream:reconnect=1s/2s', ONE_DOWN, 'the reconnects come to an end'],
    ['stream:reconnect=3s,cleanClose=finish', '', 'a clean end is taken for the end'],
    ['push', '', '2m22s'],
    ['push', ONE_DOWN, 'the retries come to an end'],
    ['push:retry=5s', ONE_DOWN, '2m27s'],
    ['push', 'receiver: none', 'no post can arrive'],
    ['blocking', '', '2m'],
    ['blocking', ONE_DOWN, 'a held send that is cut begins nothing that could be found again'],
  ])('%s, %s: %s', (word, world, says) => {
    expect(promised(word, world)).toBe(says)
  })

  test('the best of what is side by side, and whoever in a chain keeps it after those before have given up', () => {
    expect(promised('push+poll:60s', ONE_DOWN)).toBe('3m')
    expect(promised('stream>poll:5s', ONE_DOWN)).toBe('4m5s')
    expect(promised('stream>push:retry=5s', ONE_DOWN)).toBe('the webhook is registered later, which may fail')
  })

  test('where something is asked, whoever learns of it has to stay and answer', () => {
    const asking =
      'job: { updates: [{ after: 5s, status: input-required, resume: { after: 2s } }, { after: 9s, status: completed }] }'
    const asked = (word: string) => {
      const { scenario } = readScenario(`${asking}\nmechanisms: ['${word}']`, 'asking')
      const [entry] = scenario.mechanisms
      const promise = entry && promiseOf(entry.policy, scenario)
      return promise?.of === 'none' ? promise.because : promise?.of
    }
    expect(asked('push+poll:5s')).toBe('promise')
    expect(asked('push+poll:5s,budget=9s')).toBe('a part may end before it has answered')
    expect(asked('push:events=final')).toBe('no question is posted')
    expect(asked('stream:reconnect=3s,resume=live')).toBe('a question in a snapshot is passed over')
  })

  test('nobody where a task is deleted or forgotten, or requests are turned away for ever', () => {
    expect(promised('poll:5s', 'agent: { ttl: 30s }')).toBe('the agent deletes the task')
    expect(promised('poll:5s', 'faults: [{ at: 5s, restart: agent, loses: tasks }]')).toBe(
      'the agent forgets its tasks',
    )
    expect(promised('poll:5s', 'agent: { quota: { rate: 1/m } }')).toBe(
      'the agent may turn requests away for ever',
    )
  })
})

test('it counts from the end of the task and of the last fault, if there is one', () => {
  const healed = (world: string) => healedUs(readScenario(`job: 20s\n${world}`, 'healed').scenario)
  expect(healed('')).toBe(20_000_000)
  expect(healed('faults: [{ from: 5s, to: 30s, down: agent }]')).toBe(30_000_000)
  expect(healed('faults: [{ every: 30s, for: 5s, down: agent }]')).toBeUndefined()
})
