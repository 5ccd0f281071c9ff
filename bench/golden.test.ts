import { beforeAll, describe, expect, test } from 'vitest'
import { differencesFrom, goldenTexts, type Texts } from './commands/golden.ts'

describe('the checked-in results', () => {
  let texts: Texts = new Map()
  beforeAll(async () => {
    texts = await goldenTexts()
  })

  test('are, byte for byte, what the simulator gives; if a change is meant: npm run reproduce', () => {
    expect(differencesFrom(texts)).toEqual([])
  })

  test('a changed byte, a missing text and a text too many are told', () => {
    const [changed = '', gone = '', ...kept] = [...texts.keys()].filter((path) => path.startsWith('results/'))
    const others = new Map(kept.map((path) => [path, texts.get(path) as string]))
    others.set(changed, `${texts.get(changed)} `)
    others.set('results/golden/another/table.txt', '')
    expect(differencesFrom(others)).toEqual([
      { path: changed, kind: 'changed' },
      { path: 'results/golden/another/table.txt', kind: 'new' },
      { path: gone, kind: 'gone' },
    ])
  })

  test('hold a table, a result and a drawing of every mechanism', () => {
    const names = [...texts.keys()].filter((path) => path.includes('/seed-table/'))
    expect(names.map((path) => path.split('/').at(-1))).toEqual([
      'table.txt',
      'table.md',
      'result.json',
      'timeline-poll-1s.txt',
      'timeline-poll-7s.txt',
      'timeline-poll-30s.txt',
      'timeline-stream.txt',
      'timeline-push.txt',
    ])
  })
})
