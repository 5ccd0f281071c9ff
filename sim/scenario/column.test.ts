import { describe, expect, test } from 'vitest'
import { timesOfColumn } from './column.ts'

describe('a column of times', () => {
  test.each([
    ['ms\n1.5\n2\n', 'ms', [1_500, 2_000]],
    ['a,latencyMs\nx,3\n', 'latencyMs', [3_000]],
    ['a,duration_s,b\r\nx,0.25,y\r\n\r\n', 'duration_s', [250_000]],
    ['length\n20s\n1m30s\n', 'length', [20_000_000, 90_000_000]],
    ['length (s),a\n2,b\n', 'length (s)', [2_000_000]],
    ['"a, b",us\n"he said ""x""",7\n', 'us', [7]],
    ['\uFEFFs\n1e1\n', 's', [10_000_000]],
  ])('%j', (text, column, valuesUs) => {
    expect(timesOfColumn(Buffer.from(text), column)).toEqual({ valuesUs })
  })

  test.each([
    ['length_ms,b\n1,2\n', 'lenght_ms', 'there is no column "lenght_ms": did you mean length_ms?'],
    [
      'length\n20\n',
      'length',
      `row 1 (line 2), column length: "20" is no duration: it has no unit, and the column's name ends in none (such as length_ms)`,
    ],
    ['ms\n1\nsoon\n', 'ms', 'row 2 (line 3), column ms: "soon" is no duration'],
    ['a,ms\n1\n', 'ms', 'row 1 (line 2): 1 field, where the line of names has 2'],
    ['ms\n-1\n', 'ms', 'row 1 (line 2), column ms: "-1" is no duration'],
    ['ms\n', 'ms', 'the column ms has no values'],
    // A name that merely ends in a letter of a unit has none.
    [
      'items\n1\n',
      'items',
      `row 1 (line 2), column items: "1" is no duration: it has no unit, and the column's name ends in none (such as items_ms)`,
    ],
  ])('%j is refused', (text, column, problem) => {
    const result = timesOfColumn(Buffer.from(text), column)
    expect('problem' in result && result.problem.split('\n')[0]).toBe(problem)
  })
})
