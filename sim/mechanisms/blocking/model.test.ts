import { expect, test } from 'vitest'
import { randomStream } from '../../kernel/random.ts'
import { backoffOf, blockingBy, every, seconds } from '../../testing/scenario.ts'
import { blockingModel } from './model.ts'

const world = {
  updatesUs: [0, seconds(20)],
  endUs: seconds(20),
  upUs: seconds(1),
  downUs: seconds(2),
  horizonUs: seconds(3600),
  hintUsAt: () => undefined,
  random: (purpose: string) => randomStream(1, purpose),
}

test.each([
  { held: 'to the end', policy: {}, learnedUs: seconds(23) },
  { held: 'as long as the task takes', policy: { holdUs: seconds(20) }, learnedUs: seconds(23) },
  { held: 'as long as the client waits', policy: { timeoutUs: seconds(23) }, learnedUs: seconds(23) },
  {
    held: 'longer than an attempt may take',
    policy: { onError: backoffOf(every(1), { timeoutUs: seconds(22) }) },
    learnedUs: undefined,
  },
  { held: 'longer than the client waits', policy: { timeoutUs: seconds(23) - 1 }, learnedUs: undefined },
])('a send held $held', ({ policy, learnedUs }) => {
  const requests = [{ operation: 'SendMessage', startUs: 0 }]
  expect(blockingModel(blockingBy(policy), world)).toEqual({ requests, learnedUs, gaveUpUs: undefined })
})

test('a send not held long enough tells when the next may take over', () => {
  const { learnedUs, gaveUpUs } = blockingModel(blockingBy({ holdUs: seconds(20) - 1 }), world)
  expect([learnedUs, gaveUpUs]).toEqual([undefined, seconds(23) - 1])
})

test('a task without end, or one that ends after the run', () => {
  expect(blockingModel(blockingBy(), { ...world, endUs: undefined }).learnedUs).toBeUndefined()
  expect(blockingModel(blockingBy(), { ...world, horizonUs: seconds(23) }).learnedUs).toBeUndefined()
})
