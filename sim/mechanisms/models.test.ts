import { expect, test } from 'vitest'
import { randomStream } from '../kernel/random.ts'
import type { Policy } from '../policies/policy.ts'
import { blockingBy, pollEvery, pushBy, seconds, streamBy } from '../testing/scenario.ts'
import { modelOf } from './models.ts'

test('each mechanism has a model, and so has what is put together of them', () => {
  const world = {
    updatesUs: [seconds(10)],
    endUs: seconds(10),
    upUs: seconds(1),
    downUs: seconds(2),
    horizonUs: seconds(3600),
    hintUsAt: () => undefined,
    random: (purpose: string) => randomStream(1, purpose),
  }
  const learnedS = (policy: Policy) => {
    const learnedUs = modelOf(policy)?.(policy, world).learnedUs
    return learnedUs === undefined ? undefined : learnedUs / seconds(1)
  }
  // It ends at 11 s; the way back takes 2 s, that to a receiver nothing. Polls leave at 3, 10 and 17 s.
  expect([pollEvery(seconds(4)), streamBy(), pushBy(), blockingBy()].map(learnedS)).toEqual([13, 13, 11, 13])
  // Answered at 8 s, polls leave then and at 15 s.
  const links = [blockingBy({ holdUs: seconds(5) }), pollEvery(seconds(4))]
  expect(learnedS({ kind: 'chain', links, recoverUs: undefined })).toBe(18)
  expect(learnedS({ kind: 'together', parts: [streamBy(), pollEvery(seconds(60))] })).toBe(13)
})
