import { describe, expect, test } from 'vitest'
import { threefry2x32 } from './threefry.ts'

const hex = (words: readonly number[]): string[] =>
  words.map((word) => (word >>> 0).toString(16).padStart(8, '0'))

describe('Threefry-2x32-20', () => {
  test.each([
    // The known answers published with Random123 (kat_vectors).
    { counter: [0, 0], key: [0, 0], answer: ['6b200159', '99ba4efe'] },
    { counter: [-1, -1], key: [-1, -1], answer: ['1cb996fc', 'bb002be7'] },
    {
      counter: [0x243f6a88, 0x85a308d3],
      key: [0x13198a2e, 0x03707344],
      answer: ['c4923a9c', '483df7a0'],
    },
  ] as const)('gives the known answer $answer', ({ counter, key, answer }) => {
    expect(hex(threefry2x32(counter, key))).toEqual(answer)
  })
})
