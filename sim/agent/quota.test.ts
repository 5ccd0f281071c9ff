import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { randomStream } from '../kernel/random.ts'
import type { Quota } from '../scenario/scenario.ts'
import { MESSAGE, onStage } from '../testing/agent-stage.ts'
import { jobOf, seconds, status } from '../testing/scenario.ts'
import { createTokenBucket } from '../policies/token-bucket.ts'

describe('a token bucket', () => {
  /** The instants at which somebody who takes every token as soon as it is there gets one. */
  function instantsUs(quota: Pick<Quota, 'perSecond' | 'burst'>, count: number): number[] {
    const bucket = createTokenBucket(quota)
    let nowUs = 0
    return Array.from({ length: count }, () => {
      nowUs += bucket.waitUs(nowUs)
      bucket.take(nowUs)
      return nowUs
    })
  }

  test.each<[string, number, number, number[]]>([
    ['1/s', 1, 1, [0, 1, 2, 3]],
    ['1/s, three at once', 1, 3, [0, 0, 0, 1, 2]],
    ['15000/h', 15_000 / 3600, 1, [0, 0.24, 0.48, 0.72]],
    ['7/s', 7, 1, [0, 0.142858, 0.285715, 0.428572]],
  ])('of %s', (_, perSecond, burst, atSeconds) => {
    expect(instantsUs({ perSecond, burst }, atSeconds.length)).toEqual(atSeconds.map(seconds))
  })

  test('does not drift: seven a second are seven million in a million seconds', () => {
    expect(instantsUs({ perSecond: 7, burst: 1 }, 700_001).at(-1)).toBe(seconds(100_000))
    expect(instantsUs({ perSecond: 15_000 / 3600, burst: 1 }, 15_001).at(-1)).toBe(seconds(3600))
    // 11 tokens of 11/m take a hair more than a minute in floating point.
    expect(instantsUs({ perSecond: 11 / 60, burst: 1 }, 12).at(-1)).toBe(seconds(60))
  })

  test('never gives more than its burst and what has come since, and never keeps back what has', () => {
    const quota = fc.record({
      perSecond: fc.constantFrom(0.1, 1, 3, 7, 500),
      burst: fc.integer({ min: 1, max: 9 }),
    })
    fc.assert(
      fc.property(quota, fc.nat(1e6), ({ perSecond, burst }, seed) => {
        const bucket = createTokenBucket({ perSecond, burst })
        const random = randomStream(seed, 'gaps')
        // An exact count, in tokens x 1e6: what a bucket of real numbers would hold.
        let level = burst * 1e6
        let nowUs = 0
        for (let ask = 0; ask < 60; ask++) {
          const gapUs = Math.floor(((random.nextFloat() ** 3 * 4) / perSecond) * 1e6)
          nowUs += gapUs
          level = Math.min(burst * 1e6, level + gapUs * perSecond)
          const has = level >= 1e6 - 1e-3
          expect(bucket.waitUs(nowUs) === 0).toBe(has)
          if (!has) continue
          bucket.take(nowUs)
          level -= 1e6
        }
      }),
      { seed: 1, numRuns: 200 },
    )
  })
})

const JOB = jobOf([status(seconds(100), 'completed')])
const HEADERS = { 'A2A-Version': '1.0', 'Content-Type': 'application/json' }
const quotaOf = (changes: Partial<Quota>): Quota => ({
  perSecond: 0.1,
  burst: 1,
  per: 'all',
  retryAfterUs: undefined,
  ...changes,
})

test('above it both bindings answer 429, and say when to come again', async () => {
  const settings = { quotas: [quotaOf({})] }
  const { records } = await onStage({ job: JOB, settings }, async ({ send, call, raw, at }) => {
    const { id } = await send()
    await at(0.5)
    for (const binding of ['HTTP+JSON', 'JSONRPC'] as const) {
      const response = await call(binding, 'GetTask', { id })
      expect([response.status, response.headers.get('retry-after')]).toEqual([429, '10'])
      expect(await response.text()).toContain('"reason":"TOO_MANY_REQUESTS"')
    }
    expect((await raw('/.well-known/agent-card.json')).status).toBe(200)
    await at(10)
    expect((await call('JSONRPC', 'GetTask', { id })).status).toBe(200)
    expect((await call('HTTP+JSON', 'GetTask', { id })).status).toBe(429)
  })
  expect(records.filter(({ kind }) => kind !== 'happened')).toEqual([])
})

test('its own Retry-After holds; who is refused by one of several has taken nothing of the others', async () => {
  const settings = { quotas: [quotaOf({ burst: 3 }), quotaOf({ per: 'task', retryAfterUs: seconds(2.2) })] }
  await onStage({ job: JOB, settings }, async ({ send, call }) => {
    const one = await send()
    const statusOf = async (id: string) => {
      const { status: httpStatus, headers } = await call('HTTP+JSON', 'GetTask', { id })
      return [httpStatus, headers.get('retry-after')]
    }
    expect(await statusOf(one.id)).toEqual([200, null])
    for (let again = 0; again < 5; again++) expect(await statusOf(one.id)).toEqual([429, '3'])
    const other = await send()
    expect(await statusOf(other.id)).toEqual([429, '10'])
  })
})

test('one per client counts callers apart', async () => {
  const callers = ['ada', 'bob'].map((owner) => ({ owner, apiKey: owner, grants: ['tasks:write' as const] }))
  const settings = { quotas: [quotaOf({ per: 'client' })], access: { callers } }
  await onStage({ job: JOB, settings }, async ({ raw }) => {
    const body = JSON.stringify({ message: MESSAGE, configuration: { returnImmediately: true } })
    const sendAs = async (key: string) =>
      (await raw('/rest/message:send', { method: 'POST', headers: { ...HEADERS, 'X-API-Key': key }, body }))
        .status
    expect([await sendAs('ada'), await sendAs('bob'), await sendAs('ada'), await sendAs('eve')]).toEqual([
      200, 200, 429, 401,
    ])
  })
})
