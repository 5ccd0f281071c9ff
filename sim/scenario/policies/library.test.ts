/** The library: what is shipped, what people add, and what a scenario tells of it. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { loadScenario } from '../load.ts'
import { ScenarioError } from '../problem.ts'
import { LIBRARY_KINDS } from './library-kind.ts'
import { listPolicies } from './listing.ts'

const folder = mkdtempSync(join(tmpdir(), 'library-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** A scenario with a library of its own beside it. */
function load(library: string, mechanisms: string, name = 'own') {
  const place = join(folder, name)
  mkdirSync(join(place, 'policies'), { recursive: true })
  writeFileSync(join(place, 'policies', 'ours.yaml'), library)
  writeFileSync(join(place, 'mine.yaml'), `job: 20s\nmechanisms: [${mechanisms}]\n`)
  return loadScenario(join(place, 'mine.yaml'))
}

function complaint(library: string, mechanisms: string): string {
  try {
    load(library, mechanisms, 'broken')
    return 'fine'
  } catch (error) {
    if (!(error instanceof ScenarioError)) throw error
    return error.message.replaceAll(`${folder}/broken/`, '')
  }
}

const OURS = `
policies:
  - id: our-client
    name: Our client
    poll: { initial: 1s, multiplier: 2, max: 10s }
    source: ours.example/polls
    asOf: 2026-11-01
    confidence: A
  - { id: "our-proxy", hop: { idle: 20s } }
`

describe('what is shipped', () => {
  const all = listPolicies([])

  test('is all that was collected, and all AWS waiters', () => {
    const waiters = all.filter(({ id }) => id.startsWith('aws/'))
    const others = all.filter(({ id }) => !id.startsWith('aws/'))
    const count = (kind: string) => others.filter((entry) => entry.kind === kind).length
    expect(waiters).toHaveLength(379)
    expect({ scenario: count('scenario'), undetermined: count('undetermined') }).toEqual({
      scenario: 6,
      undetermined: 22,
    })
  })

  test('has a source, a date, a confidence and a meaning each', () => {
    for (const { id, source, asOf, confidence, meaning, usage, kind } of all) {
      expect({ id, source, asOf, confidence, meaning }).toEqual({
        id,
        source: expect.stringMatching(/\S/),
        asOf: expect.stringMatching(/^\d{4}(-\d\d){0,2}$/),
        confidence: expect.stringMatching(/^[ABCU]$/),
        meaning: expect.stringMatching(/\S/),
      })
      expect(usage === undefined).toBe(kind === 'undetermined')
    }
  })

  test('says where a size is nobody else than ours, and what one should know of an entry', () => {
    const entry = (wanted: string) => all.find(({ id, kind }) => id === wanted && kind !== 'undetermined')
    expect(entry('whatwg')?.meaning).toBe('heartbeat every 15 s, 3 octets')
    expect(entry('warp')?.meaning).toBe('heartbeat every 15 s, size not given: 8 octets are assumed')
    expect(entry('pi-forge')).toMatchObject({
      meaning: 'heartbeat every 20 s, size not given: 8 octets are assumed',
      note: expect.stringContaining('How far is not known'),
    })
    expect(entry('azcore-go')?.note).toContain('poll:@azcore-go,first=after')
    expect(entry('azure-core-python')?.note).toBeUndefined()
  })

  test('is found by its usage', () => {
    const used = all.filter(({ kind, id }) => kind in LIBRARY_KINDS && !id.startsWith('aws/'))
    const words = used.flatMap(({ kind, usage }) =>
      kind === 'hop' || kind === 'client' ? [] : [`"${usage}"`],
    )
    const hops = used.flatMap(({ kind, id }) => (kind === 'hop' ? [id] : []))
    const { scenario, policies } = load(
      'policies: []\n',
      `${words.join(', ')}]\nnetwork: { hops: [${hops.join(', ')}] }\nx-rest: [`,
    )
    expect(scenario.mechanisms.map(({ word }) => `"${word}"`)).toEqual(words)
    expect(scenario.network.hops.map(({ name }) => name)).toEqual(hops)
    expect(policies).toHaveLength(words.length + hops.length)
  })
})

describe('policies of your own', () => {
  test('stand in a folder beside the scenario', () => {
    const { scenario, policies, values } = load(OURS, 'poll:@our-client, "poll:@our-client,max=5s"')
    expect(scenario.mechanisms.map(({ word }) => word)).toEqual([
      'poll:@our-client',
      'poll:@our-client,max=5s',
    ])
    expect(scenario.mechanisms[1]?.policy).toMatchObject({ waits: { of: 'growing', maxUs: 5_000_000 } })
    expect(policies).toEqual([
      {
        id: 'our-client',
        kind: 'poll',
        name: 'Our client',
        source: 'ours.example/polls',
        asOf: '2026-11-01',
        confidence: 'A',
      },
    ])
    expect(values.find(({ path }) => path === 'mechanisms.0.poll.initial')).toMatchObject({
      value: '1s',
      origin: 'library',
      file: expect.stringMatching(/policies\/ours\.yaml$/),
      line: 5,
    })
  })

  test('may be hops and limits as well', () => {
    const { scenario } = load(OURS, 'stream]\nnetwork: { hops: [our-proxy, nginx] }\nx-rest: [')
    expect(scenario.network.hops).toMatchObject([
      { name: 'our-proxy', idleUs: 20_000_000 },
      { name: 'nginx', idleUs: 60_000_000 },
    ])
  })

  test('are not read where no policy is named', () => {
    expect(complaint('policies: [\n', 'poll:5s')).toBe('fine')
  })

  test.each([
    ['policies: 5\n', 'policies/ours.yaml:1:11: policies is a list of entries'],
    [
      'policies: [{ id: a }]\n',
      'policies/ours.yaml:1:12: what is it? exactly one of poll, blocking, reconnect, heartbeat, retry, hop, client, scenario, undetermined',
    ],
    [
      'policies: [{ id: a, poll: 5s, hop: {} }]\n',
      'policies/ours.yaml:1:12: one policy an entry: poll and hop are 2',
    ],
    ['policies: [{ id: a, poll: 5s, sauce: x }]\n', 'policies/ours.yaml:1:31: unknown key sauce'],
    [
      'policies: [{ id: a, poll: { interval: 7 } }]\n',
      'policies/ours.yaml:1:39: 7 has no unit: write 7s, 7ms or 7m',
    ],
    [
      'policies: [{ id: a, poll: 5s, confidence: D }]\n',
      'policies/ours.yaml:1:43: confidence is A, B, C or U',
    ],
    [
      'policies:\n  - { id: smithy-js, poll: 5s }\n',
      'policies/ours.yaml:2:11: a polling policy smithy-js is there already: scenarios/policies/polling.yaml:LINE:9',
    ],
  ])('%j is wrong', (library, message) => {
    const [said] = complaint(library, 'poll:@smithy-js').split('\n')
    expect(said?.replace(/(polling\.yaml:)\d+/, '$1LINE')).toBe(message)
  })
})

test('an address such as poll.interval means every policy of the kind, fallbacks and library policies included', () => {
  const set = (value: string) => {
    writeFileSync(
      join(folder, 'set.yaml'),
      'job: 20s\nmechanisms: [poll:1s, poll:@smithy-js, "stream:reconnect=@chromium>poll:30s+poll:60s"]\n',
    )
    const { mechanisms } = loadScenario(join(folder, 'set.yaml'), { set: [value] }).scenario
    return mechanisms.map(({ word }) => word)
  }
  expect(set('poll.interval=9s')).toEqual([
    'poll:9s',
    'poll:@smithy-js,interval=9s',
    'stream:reconnect=@chromium>poll:9s+poll:9s',
  ])
  expect(set('stream.reconnect.jitter=full')[2]).toBe(
    'stream:reconnect=@chromium,reconnect.jitter=full>poll:30s+poll:60s',
  )
})
