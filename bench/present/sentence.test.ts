import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Row } from '../../sim/index.ts'
import { aPoll, aRow } from './results.suite.ts'
import { sentenceOf } from './sentence.ts'

const stream = aRow({ octets: { ...aRow().octets, total: 3_000 } })
const push = aRow({
  mechanism: 'push',
  policy: 'push',
  webhookPosts: 5,
  octets: { ...stream.octets, total: 3_500 },
})
const never = (mechanism: string): Row =>
  aRow({ mechanism, outcome: 'not-learned', timeToLearnMs: null, learnedAtMs: null })
const failed = (mechanism: string): Row => ({ ...never(mechanism), outcome: 'failed' })

describe('the sentence below the table', () => {
  test('the usual five', () => {
    expect(
      sentenceOf([
        aPoll(1, 102, 0, 113_357),
        aPoll(7, 17, 5_000, 20_000),
        aPoll(30, 6, 20_000, 7_031),
        stream,
        push,
      ]),
    ).toBe(
      'The end was learned on time by poll every 1 s, stream and push; of these, stream and push needed the fewest ' +
        'requests (1) and stream the fewest octets (3,000); poll every 30 s, the latest, 20 s late, saved 96 requests ' +
        'against poll every 1 s but none against stream.',
    )
  })

  test('a late one that saves against everybody who was first', () => {
    expect(sentenceOf([aPoll(1, 102, 0, 100_000), aPoll(30, 6, 20_000, 7_000)])).toBe(
      'The end was learned on time by poll every 1 s, with 102 requests and 100,000 octets; ' +
        'poll every 30 s, the latest, 20 s late, saved 96 requests against poll every 1 s.',
    )
  })

  test('a late one that saves nothing', () => {
    expect(sentenceOf([stream, aPoll(30, 6, 20_000, 7_000)])).toBe(
      'The end was learned on time by stream, with 1 request and 3,000 octets; ' +
        'poll every 30 s, the latest, 20 s late, saved no request.',
    )
  })

  test('two latest ones with different costs', () => {
    expect(
      sentenceOf([aPoll(1, 102, 0, 9_000), aPoll(50, 4, 20_000, 7_000), aPoll(30, 6, 20_000, 7_000)]),
    ).toBe(
      'The end was learned on time by poll every 1 s, with 102 requests and 9,000 octets; poll every 50 s and ' +
        'poll every 30 s, the latest, 20 s late, saved up to 98 requests against poll every 1 s.',
    )
  })

  test('everybody at once, and equal in every respect', () => {
    expect(sentenceOf([stream, { ...stream, mechanism: 'other' }, { ...stream, mechanism: 'third' }])).toBe(
      'The end was learned on time by all 3 mechanisms; of these, each needed 1 request and the same octets (3,000).',
    )
  })

  test('nobody on time', () => {
    expect(sentenceOf([aPoll(7, 17, 5_000, 20_000), aPoll(30, 6, 20_000, 7_000)])).toBe(
      'The end was learned first, 5 s late, by poll every 7 s, with 17 requests and 20,000 octets; ' +
        'poll every 30 s, the latest, 20 s late, saved 11 requests against poll every 7 s.',
    )
  })

  test('one row', () => {
    expect(sentenceOf([aPoll(7, 17, 5_000, 13_415)])).toBe(
      'The end was learned 5 s late by poll every 7 s, with 17 requests and 13,415 octets.',
    )
  })

  test('nobody learned', () => {
    expect(sentenceOf([never('stream')])).toBe('stream never learned of the end.')
    expect(sentenceOf([never('stream'), never('push')])).toBe('stream and push never learned of the end.')
    expect(sentenceOf([failed('push')])).toBe('push failed.')
  })

  test('some never learned, some failed', () => {
    expect(sentenceOf([stream, never('poll every 7 s'), failed('push')])).toBe(
      'The end was learned on time by stream, with 1 request and 3,000 octets; poll every 7 s never learned it; push failed.',
    )
  })

  test('many are counted instead of named', () => {
    const six = ['a', 'b', 'c', 'd', 'e', 'f'].map((mechanism) => ({ ...stream, mechanism }))
    expect(sentenceOf([...six, never('g')])).toBe(
      'The end was learned on time by 6 mechanisms; of these, each needed 1 request and the same octets (3,000); ' +
        'g never learned it.',
    )
  })

  test('whatever the rows: one sentence, and nobody who was late is called on time', () => {
    const anyRow = fc
      .record({
        requests: fc.integer({ min: 1, max: 4 }),
        timeToLearnMs: fc.constantFrom(0, 0, 1, 5_000, null),
        total: fc.integer({ min: 1, max: 3 }),
        failed: fc.boolean(),
      })
      .map(({ requests, timeToLearnMs, total, failed: broke }) =>
        aRow({
          requests,
          timeToLearnMs,
          octets: { total, up: total, down: 0, head: 0, body: total, waste: 0 },
          outcome: timeToLearnMs !== null ? 'learned' : broke ? 'failed' : 'not-learned',
        }),
      )
    fc.assert(
      fc.property(fc.array(anyRow, { minLength: 1, maxLength: 4 }), (bare) => {
        const rows = bare.map((row, i) => ({ ...row, mechanism: `m${i}` }))
        const sentence = sentenceOf(rows)
        expect(sentence).toMatch(/^[^.]+\.$/)
        const onTime = /on time by ([^;.]*?)(?:, with|;|\.|$)/.exec(sentence)?.[1]
        const punctual = rows.filter((row) => row.timeToLearnMs === 0)
        if (punctual.length === 0) expect(onTime).toBeUndefined()
        else if (onTime !== `all ${rows.length} mechanisms`)
          expect(onTime?.match(/m\d/g)).toEqual(punctual.map((row) => row.mechanism))
        for (const { mechanism, outcome } of rows)
          if (outcome !== 'learned') expect(sentence).toContain(mechanism)
      }),
      { seed: 1, numRuns: 500 },
    )
  })
})
