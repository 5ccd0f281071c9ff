/** The whole format, key by key: what this release lacks is refused by its name. */
import { describe, expect, test } from 'vitest'
import { createFiles } from './files.suite.ts'
import { LATER_METRICS } from './metric.ts'

const files = createFiles()

const keysOf = (keys: string, text: (key: string) => string): [name: string, text: string][] =>
  keys.split(' ').map((key) => [key, text(key)])

describe('what the format has and this release has not', () => {
  test.each([
    ...keysOf('prices objective vary', (key) => `job: 20s\n${key}: 1\n`),
    ...keysOf('defects', (key) => `job: 20s\nagent: { ${key}: 1 }\n`),
    ...keysOf('http tls tcp', (key) => `job: 20s\nwire: { ${key}: 1 }\n`),
    ...LATER_METRICS.map((name): [string, string] => [name, `job: 20s\nthresholds: [ ${name} < 1 ]\n`]),
    ...LATER_METRICS.map((name): [string, string] => [name, `job: 20s\nexpect: { push: { ${name}: 1 } }\n`]),
    ['cost', 'job: 20s\nthresholds: [ cost(month) <= 200 ]\n'],
    ['p99(lateness)', 'job: 20s\nthresholds: [ p99(lateness) <= 2s ]\n'],
  ])('%s', (name, text) => {
    const [first = ''] = files.complaint(text).split('\n')
    const called = first
      .replace(/^mine\.yaml:\d+:\d+: /, '')
      .split(' is part of the format but not of this release: ')
    expect(called).toHaveLength(2)
    expect(called[0]).toContain(name)
    expect(first).not.toContain('unknown')
  })

  test.each([
    ['vary', 'job: 20s\nvary: { job: [5s] }\n', 'mine.yaml:2:1: vary is part'],
    ['a key of a section', 'job: 20s\nagent:\n  defects: []\n', 'mine.yaml:3:3: agent.defects is part'],
  ])('%s at its place', (_name, text, beginning) => {
    expect(files.complaint(text).slice(0, beginning.length)).toBe(beginning)
  })
})
