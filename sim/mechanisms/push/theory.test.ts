import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { randomStream } from '../../kernel/random.ts'
import { formatDuration, parseDuration, US_PER_SECOND } from '../../kernel/units.ts'
import { createBackoff, type Backoff } from '../../policies/backoff.ts'
import { backoffOf, every, listOf, USUAL_SENDING } from '../../testing/scenario.ts'
import { deliveredAfterUs, learnedAfterUs, pollAfterUs } from './theory.ts'

const us = (duration: string) => parseDuration(duration) as number
const schedule = (...delays: string[]) => backoffOf(listOf(...delays.map(us)))

const SENDERS: Record<string, Backoff> = {
  // Standard Webhooks, specification, "Deliverability and reliability".
  'Standard Webhooks': schedule('5s', '5m', '30m', '2h', '5h', '10h', '14h', '20h', '24h'),
  // svix-server, config.default.toml.
  Svix: schedule('5s', '5m', '30m', '2h', '5h', '10h', '10h'),
  // Slack Events API: nearly at once, after 1 minute, after 5 minutes.
  Slack: schedule('0', '1m', '4m'),
  // Amazon SNS, HTTP(S) default: three retries 20 s apart.
  SNS: schedule('20s', '20s', '20s'),
  none: backoffOf(every(0), { attempts: 1 }),
}

/** What passes after the receiver is back until the post gets through. */
const TABLE: [downtime: string, afterRecovery: Record<keyof typeof SENDERS, string>][] = [
  ['30s', { 'Standard Webhooks': '4m35s', Svix: '4m35s', Slack: '30s', SNS: '10s', none: 'lost' }],
  ['10m', { 'Standard Webhooks': '25m5s', Svix: '25m5s', Slack: 'lost', SNS: 'lost', none: 'lost' }],
  ['1h', { 'Standard Webhooks': '1h35m5s', Svix: '1h35m5s', Slack: 'lost', SNS: 'lost', none: 'lost' }],
  ['8h', { 'Standard Webhooks': '9h35m5s', Svix: '9h35m5s', Slack: 'lost', SNS: 'lost', none: 'lost' }],
]

const ROWS = TABLE.flatMap(([downtime, row]) =>
  Object.entries(row).map(([sender, after]) => ({ downtime, sender, after })),
)

describe('a receiver that is down from the event on', () => {
  test.each(ROWS)('$downtime, $sender: $after after it is back', ({ downtime, sender, after }) => {
    const downUs = us(downtime)
    const delivered = deliveredAfterUs(SENDERS[sender] as Backoff, { downUs, failsAfterUs: 0 })
    expect(delivered === undefined ? 'lost' : formatDuration(delivered - downUs)).toBe(after)
  })

  test.each(ROWS)('$downtime, $sender, with a safety poll: within its 60 s', ({ downtime, sender }) => {
    const delivered = deliveredAfterUs(SENDERS[sender] as Backoff, { downUs: us(downtime), failsAfterUs: 0 })
    const lateness = (eventUs: number) =>
      learnedAfterUs(delivered, pollAfterUs({ firstUs: 0, everyUs: us('60s') }, eventUs))
    expect(lateness(us('10m'))).toBe(0)
    const quicker = sender === 'SNS' && downtime === '30s' ? '40s' : undefined
    expect(lateness(us('10m') + 1)).toBe(quicker === undefined ? us('60s') - 1 : us(quicker))
  })

  test('silence adds the timeout of each attempt', () => {
    const silent = { downUs: us('30s'), failsAfterUs: us('15s') }
    // 15 s + 5 s, 15 s again, and then five minutes.
    expect(deliveredAfterUs(SENDERS['Standard Webhooks'] as Backoff, silent)).toBe(us('5m35s'))
    expect(deliveredAfterUs(SENDERS['SNS'] as Backoff, silent)).toBe(us('35s'))
  })

  test('an attempt at the instant of the return gets through, one a moment earlier does not', () => {
    const slack = SENDERS['Slack'] as Backoff
    expect(deliveredAfterUs(slack, { downUs: us('5m'), failsAfterUs: 0 })).toBe(us('5m'))
    expect(deliveredAfterUs(slack, { downUs: us('5m') + 1, failsAfterUs: 0 })).toBeUndefined()
    expect(deliveredAfterUs(slack, { downUs: 0, failsAfterUs: 0 })).toBe(0)
  })

  test('what the agent does unless told otherwise: attempts at 0 s, 1 s and 3 s', () => {
    const after = (downUs: number) => deliveredAfterUs(USUAL_SENDING.retry, { downUs, failsAfterUs: 0 })
    expect([0, us('1s'), us('3s'), us('3s') + 1].map(after)).toEqual([0, us('1s'), us('3s'), undefined])
  })

  test('budgets end a schedule as well', () => {
    const within = backoffOf(every(us('10s')), { budgetUs: us('25s') })
    expect(deliveredAfterUs(within, { downUs: us('20s'), failsAfterUs: 0 })).toBe(us('20s'))
    expect(deliveredAfterUs(within, { downUs: us('21s'), failsAfterUs: 0 })).toBeUndefined()
  })

  test('it is the schedule that back-off code walks', () => {
    const anySchedule = fc.oneof(
      fc.record({
        of: fc.constant('growing' as const),
        initialUs: fc.integer({ min: 1, max: 20 * US_PER_SECOND }),
        multiplier: fc.constantFrom(1, 1.5, 2, 10),
        maxUs: fc.constantFrom(undefined, 60 * US_PER_SECOND),
      }),
      fc
        .array(fc.integer({ min: 1, max: 3600 * US_PER_SECOND }), { minLength: 1, maxLength: 6 })
        .map((delaysUs) => listOf(...delaysUs)),
    )
    fc.assert(
      fc.property(
        anySchedule,
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 0, max: 8 * 3600 * US_PER_SECOND }),
        fc.constantFrom(0, 10 * US_PER_SECOND),
        (waits, attempts, downUs, failsAfterUs) => {
          const retry = backoffOf(waits, { attempts, budgetUs: us('6h') })
          const backoff = createBackoff(retry, randomStream(1, 'nothing to draw'))
          let atUs: number | undefined = 0
          while (atUs !== undefined && atUs < downUs) {
            const failedUs: number = atUs + failsAfterUs
            const waitUs = backoff.next(failedUs)
            atUs = waitUs === undefined ? undefined : failedUs + waitUs
          }
          expect(deliveredAfterUs(retry, { downUs, failsAfterUs })).toBe(atUs)
        },
      ),
      { seed: 1, numRuns: 300 },
    )
  })

  test('chance has no closed form, and a schedule must move on', () => {
    const down = { downUs: 1, failsAfterUs: 0 }
    const jittered = backoffOf(every(5), { jitter: { of: 'full' } })
    expect(() => deliveredAfterUs(jittered, down)).toThrow('full jitter')
    const drawn = backoffOf({ of: 'interval', interval: { of: 'exponential', meanUs: 5 } })
    expect(() => deliveredAfterUs(drawn, down)).toThrow('exponential')
    expect(() => deliveredAfterUs(backoffOf(every(0)), down)).toThrow('for ever')
  })
})

test('the next poll after an event', () => {
  const polls = { firstUs: 3, everyUs: 10 }
  expect([0, 3, 4, 12, 13, 14].map((eventUs) => pollAfterUs(polls, eventUs))).toEqual([3, 0, 9, 1, 0, 9])
})
