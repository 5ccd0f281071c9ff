import { expect, test } from 'vitest'
import { ln } from './ln.ts'
import { randomBlocks } from './random-block.ts'
import { randomStream } from './random.ts'

test('columns hold what the stream gives one by one, however they are cut', () => {
  const blocks = randomBlocks(5, 'length')
  const stream = randomStream(5, 'length')
  const column = new Float64Array(1300)
  for (const count of [1300, 0, 1, 513]) {
    blocks.fillFloats(column, count)
    const floats = Array.from({ length: count }, () => stream.nextFloat())
    expect([...column.subarray(0, count)]).toEqual(floats)
    blocks.fillExponentials(column, count)
    const exponentials = Array.from({ length: count }, () => 0 - ln(1 - stream.nextFloat()))
    expect([...column.subarray(0, count)]).toEqual(exponentials)
  }
  expect(blocks.nextUint32()).toBe(stream.nextUint32())
})

test('what lies behind the count is left alone', () => {
  const column = new Float64Array(4).fill(7)
  randomBlocks(1, 'any').fillExponentials(column, 2)
  randomBlocks(1, 'any').fillFloats(column, 1)
  expect([...column.subarray(2)]).toEqual([7, 7])
})

test('exponential draws have their law', () => {
  const count = 1 << 20
  const column = new Float64Array(count)
  randomBlocks(2, 'length').fillExponentials(column, count)
  const shares = [0.1, 1, 3, 8].map((x) => ({ x, above: column.filter((value) => value > x).length / count }))
  for (const { x, above } of shares) {
    const expected = Math.exp(-x)
    expect(Math.abs(above - expected)).toBeLessThan(4 * Math.sqrt((expected * (1 - expected)) / count))
  }
  expect(column.every((value) => value >= 0)).toBe(true)
})
