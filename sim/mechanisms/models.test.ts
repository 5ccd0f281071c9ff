import { expect, test } from 'vitest'
import { randomStream } from '../kernel/random.ts'
import type { Policy } from '../policies/policy.ts'
import { blockingBy, pollEvery, pushBy, seconds, streamBy } from '../testing/scenario.ts'
import { modelOf } from './models.ts'

test('each mechanism of one kind has a model; what is put together of them has none', () => {
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
  expect(modelOf({ kind: 'chain', links: [streamBy(), pushBy()], recoverUs: undefined })).toBeUndefined()
})
