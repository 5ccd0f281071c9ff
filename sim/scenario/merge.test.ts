import fc from 'fast-check'
import { expect, test } from 'vitest'
import { merge } from './merge.ts'
import { plain, type MapNode } from './node.ts'
import { readYaml } from './yaml.ts'

/** A map as it would be read from a file; JSON is YAML. */
function read(value: Record<string, unknown>): MapNode {
  const result = readYaml({ origin: 'file', name: 'any.yaml', text: JSON.stringify(value) })
  if ('problems' in result || result.node.of !== 'map') throw new Error('not a map')
  return result.node
}

const merged = (...layers: Record<string, unknown>[]) =>
  plain(layers.map(read).reduce((base, over) => merge(base, over)))

const { layer } = fc.letrec<{ layer: Record<string, unknown>; value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.integer({ min: 0, max: 3 }),
    fc.array(fc.nat(2), { maxLength: 2 }),
    tie('layer'),
  ),
  layer: fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('value')),
}))

test('maps merge, lists and single values replace, null takes away', () => {
  expect(merged({ a: { x: 1, y: [1, 2] }, b: 1, c: 2 }, { a: { y: [3] }, c: null, d: { e: null } })).toEqual({
    a: { x: 1, y: [3] },
    b: 1,
    d: {},
  })
})

test('a layer on nothing is itself, and on itself changes nothing', () => {
  fc.assert(
    fc.property(layer, (any) => {
      expect(merged({}, any)).toEqual(any)
      expect(merged(any, any)).toEqual(any)
    }),
    { seed: 1, numRuns: 200 },
  )
})

test('the last word wins: laying a layer on again changes nothing', () => {
  fc.assert(
    fc.property(layer, layer, (base, over) => {
      expect(merged(base, over, over)).toEqual(merged(base, over))
    }),
    { seed: 1, numRuns: 200 },
  )
})

test('keys only one layer has are all there', () => {
  fc.assert(
    fc.property(layer, layer, (base, over) => {
      const keys = Object.keys(merged(base, over) as object)
      expect(new Set(keys)).toEqual(new Set([...Object.keys(base), ...Object.keys(over)]))
    }),
    { seed: 1, numRuns: 200 },
  )
})
