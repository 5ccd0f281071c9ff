/** The model of polling held against the replay, which polls with the official client over a wire. */
import { describe, expect, test } from 'vitest'
import { randomStream } from '../../kernel/random.ts'
import type { PollPolicy } from '../../policies/policy.ts'
import type { RunRecord } from '../../records/record.ts'
import { replay } from '../../replay/replay.ts'
import type { Scenario, Update } from '../../scenario/scenario.ts'
import {
  backoffOf,
  entryOf,
  every,
  pollBy,
  QUIET_AGENT,
  scenarioOf,
  seconds,
  status,
} from '../../testing/scenario.ts'
import type { ModelRun, QuietWorld } from '../model.ts'
import { LEAGUE } from './league.suite.ts'
import { pollingModel } from './model.ts'
import { quietWorld } from './quiet-world.suite.ts'

/** What a replay did, as a model tells it. */
function runOf(records: readonly RunRecord[]): ModelRun {
  const requests = records.flatMap((record) =>
    record.kind === 'exchange'
      ? Array.from({ length: record.repeats?.count ?? 1 }, (_, index) => ({
          operation: record.operation,
          startUs: record.startUs + index * (record.repeats?.everyUs ?? 0),
        }))
      : [],
  )
  const [learnedUs] = records.flatMap((record) =>
    record.kind === 'learned' && record.terminal ? [record.atUs] : [],
  )
  return { requests: requests.toSorted((a, b) => a.startUs - b.startUs), learnedUs }
}

async function both(
  policy: PollPolicy,
  scenario: Scenario,
  world: QuietWorld,
): Promise<[ModelRun, ModelRun]> {
  const { records } = await replay(scenario, entryOf(policy))
  return [runOf(records), pollingModel(policy, world)]
}

const RANDOM: { title: string; policy: PollPolicy }[] = [
  { title: 'full jitter', policy: pollBy(growing(1, 1.5, 20), { jitter: { of: 'full' } }) },
  { title: 'decorrelated', policy: pollBy(growing(1, 2, 30), { jitter: { of: 'decorrelated' } }) },
  {
    title: 'a random interval, first at random',
    policy: pollBy(
      { of: 'interval', interval: { of: 'uniform', fromUs: seconds(1), toUs: seconds(3) } },
      { first: 'random', jitter: { of: 'stretch', less: 0.25, more: 0.25 } },
    ),
  },
]

function growing(initialS: number, multiplier: number, maxS: number) {
  return {
    of: 'growing',
    initialUs: seconds(initialS),
    multiplier,
    maxUs: seconds(maxS),
  } as const
}

describe.each([...LEAGUE, ...RANDOM])('$title', ({ policy }) => {
  test('model and replay do the same, at 25 lengths and several latencies', async () => {
    const random = randomStream(1, 'lengths')
    for (let index = 0; index < 25; index++) {
      const lengthUs = Math.floor(seconds(200) * random.nextFloat() ** 2)
      const latencyUs = [0, 0, 1, 50_000, 500_000][index % 5] as number
      const updates: Update[] = [status(0, 'working'), status(lengthUs, 'completed')]
      const scenario = scenarioOf({ updates, latencyUs, seed: index })
      const world = quietWorld(lengthUs, {
        updatesUs: [0, lengthUs],
        upUs: latencyUs,
        downUs: latencyUs,
        horizonUs: scenario.horizonUs,
        random: (purpose) => randomStream(index, purpose),
      })
      const [replayed, modelled] = await both(policy, scenario, world)
      expect(modelled).toEqual(replayed)
    }
  })
})

test('and with hints by the age of the task, adaptive waits, news, a budget and a horizon', async () => {
  const policies: PollPolicy[] = [
    pollBy(every(seconds(2)), { hint: 'interval', first: 'hint' }),
    pollBy(growing(1, 2, 60), { hint: 'cap', first: 'after', budgetUs: seconds(30), lastLookUs: seconds(1) }),
    pollBy(every(seconds(4)), {
      hint: 'floor',
      adapt: {
        news: { of: 'times', factor: 0.5 },
        quiet: { of: 'plus', us: seconds(1) },
        minUs: seconds(1),
        maxUs: seconds(9),
      },
    }),
    pollBy(every(seconds(4)), {
      timeoutUs: seconds(0.05),
      onError: backoffOf(every(seconds(1)), { attempts: 3 }),
    }),
  ]
  const updates = [
    status(0, 'working'),
    ...[3, 3, 17, 40].map((s) => status(seconds(s), 'working', `At ${s}.`)),
    status(seconds(75), 'completed'),
  ]
  const hints = [
    { fromUs: 0, hintUs: seconds(3) },
    { fromUs: seconds(20), hintUs: seconds(7) },
  ]
  for (const horizonUs of [seconds(50), seconds(500)])
    for (const policy of policies) {
      const agent = { ...QUIET_AGENT, polling: { ...QUIET_AGENT.polling, hints } }
      const scenario = scenarioOf({ updates, latencyUs: 50_000, horizonUs }, { agent })
      const world = quietWorld(seconds(75), {
        updatesUs: updates.map(({ atUs }) => atUs),
        upUs: 50_000,
        downUs: 50_000,
        horizonUs,
        hintUsAt: (ageUs) => hints.findLast(({ fromUs }) => fromUs <= ageUs)?.hintUs,
      })
      const [replayed, modelled] = await both(policy, scenario, world)
      expect(modelled).toEqual(replayed)
    }
})

test('an answer that comes with the horizon or later tells nothing any more', async () => {
  for (const horizonUs of [seconds(7.5), seconds(8), seconds(8) + 1]) {
    const updates = [status(seconds(4), 'completed')]
    const scenario = scenarioOf({ updates, latencyUs: seconds(0.5), horizonUs })
    const world = quietWorld(seconds(4), { upUs: seconds(0.5), downUs: seconds(0.5), horizonUs })
    const [replayed, modelled] = await both(pollBy(every(seconds(5))), scenario, world)
    expect(modelled).toEqual(replayed)
    expect(modelled.learnedUs).toBe(horizonUs > seconds(8) ? seconds(8) : undefined)
    expect(modelled.requests).toHaveLength(3)
  }
})
