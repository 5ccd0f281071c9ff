import { expect, test } from 'vitest'
import { parseJson } from './parse-json.ts'

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)

test('JSON comes through as it is, a hundred deep at most', () => {
  expect(parseJson('{"a":[1,null]}')).toEqual({ a: [1, null] })
  expect(parseJson(nested(100))).toHaveLength(1)
  for (const depth of [101, 500_000])
    expect(() => parseJson(nested(depth))).toThrow(expect.objectContaining({ name: 'InvalidRequestError' }))
  expect(() => parseJson('{')).toThrow(expect.objectContaining({ name: 'JSONParseError' }))
})
