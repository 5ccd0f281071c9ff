import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createFiles } from './files.suite.ts'
import { runOf } from './runs.ts'
import type { Job, Update } from './scenario.ts'

const files = createFiles()

const S = 1_000_000

/** `20s completed`, `50s report`. */
const told = ({ atUs, change }: Update): string =>
  `${atUs / S}s ${change.of === 'status' ? change.state : change.artifact}`

const scenarioOf = (text: string) => files.load(text).scenario
const jobOf = (job: string): Job => scenarioOf(`job: ${job}\n`).job
const updatesOf = (job: string): string[] => jobOf(job).updates.map(told)
const complaint = (text: string): string => files.complaint(text).split('\n')[0] as string

describe('updates that come again and again', () => {
  test('begin one wait after the start and stop before the end', () => {
    expect(updatesOf('{ duration: 10s, updates: [{ every: 3s, status: working }] }')).toEqual([
      '3s working',
      '6s working',
      '9s working',
      '10s completed',
    ])
    // What falls on the end is the end.
    expect(updatesOf('{ duration: 9s, updates: [{ every: 3s, status: working }] }')).toEqual([
      '3s working',
      '6s working',
      '9s completed',
    ])
  })

  test('count from an instant, up to another one and with it', () => {
    const text = '{ duration: 100s, updates: [{ every: 10s, from: 20s, until: 50%, status: working }] }'
    expect(updatesOf(text)).toEqual(['30s working', '40s working', '50s working', '100s completed'])
  })

  test('run beside the others: no wait counts from them, and equal instants keep the order of the file', () => {
    const text =
      '{ updates: [{ at: 2s, artifact: a }, { every: 2s, status: working }, { after: 2s, artifact: b }, { after: 1s, status: failed }] }'
    expect(updatesOf(text)).toEqual(['2s a', '2s working', '4s working', '4s b', '5s failed'])
  })

  test('follow a random clock that differs from run to run and not from time to time', () => {
    const text = 'job: { duration: 10m, updates: [{ every: exponential:10s, status: working }] }\n'
    const scenario = scenarioOf(text)
    const instants = (index: number) => runOf(scenario, index).job.updates.map(({ atUs }) => atUs)
    expect(instants(0)).toEqual(scenario.job.updates.map(({ atUs }) => atUs))
    expect(instants(1)).not.toEqual(instants(0))
    // Sixty are expected; five standard errors of a Poisson count.
    expect(Math.abs(instants(0).length - 61)).toBeLessThan(5 * Math.sqrt(60))
  })

  test('run until the horizon where the job never ends', () => {
    const { job, horizonUs } = scenarioOf(
      'job: { duration: never, updates: [{ every: 4m, status: working }] }\nhorizon: 15m\n',
    )
    expect(job.updates.map(told)).toEqual(['240s working', '480s working', '720s working'])
    expect(job.durationUs).toBeUndefined()
    expect(horizonUs).toBe(900 * S)
  })
})

describe('pauses', () => {
  const text = `{ updates: [
    { at: 10s, status: input-required, text: Which year?, resume: { after: 30s, text: "2024" } },
    { every: 8s, status: working },
    { after: 20s, artifact: report, octets: 4kB },
    { after: 0, status: auth-required, resume: { after: 5s } },
    { after: 2s, status: completed } ] }`

  test('cut the job into stretches that count from the resume', () => {
    const job = jobOf(text)
    expect(job.updates.map(told)).toEqual(['10s input-required'])
    expect(job.afterPauses.map(({ updates }) => updates.map(told))).toEqual([
      ['8s working', '16s working', '20s report', '20s auth-required'],
      ['2s completed'],
    ])
    expect(job.afterPauses.map(({ resumeAfterUs, content }) => ({ resumeAfterUs, content }))).toEqual([
      { resumeAfterUs: 30 * S, content: { text: '2024' } },
      { resumeAfterUs: 5 * S, content: undefined },
    ])
    expect(job.durationUs).toBe((10 + 30 + 20 + 5 + 2) * S)
  })

  test('the result comes before the end, in the last stretch', () => {
    const job = jobOf(
      '{ result: 5, updates: [{ at: 1s, status: input-required, resume: { after: 1s } }, { after: 3s, status: completed }] }',
    )
    expect(job.afterPauses[0]?.updates.map(told)).toEqual(['3s result', '3s completed'])
  })

  test('without a resume the task waits for ever', () => {
    const { job } = scenarioOf('job: { updates: [{ at: 9s, status: auth-required }] }\nhorizon: 1h\n')
    expect(job.updates.map(told)).toEqual(['9s auth-required'])
    expect(job.durationUs).toBeUndefined()
  })
})

describe('a result in chunks', () => {
  const chunksOf = (result: string) => jobOf(`{ duration: 9s, result: ${result} }`).updates.slice(0, -1)

  test('is all there, at one instant, the last chunk marked', () => {
    expect(chunksOf('{ octets: 10, chunks: 3 }')).toEqual(
      [
        { octets: 3, append: false, lastChunk: false },
        { octets: 4, append: true, lastChunk: false },
        { octets: 3, append: true, lastChunk: true },
      ].map(({ octets, ...flags }) => ({
        atUs: 9 * S,
        change: { of: 'artifact', artifact: 'result', content: { octets }, ...flags },
      })),
    )
    expect(chunksOf('{ text: höher, chunks: 2 }').map(({ change }) => change.content)).toEqual([
      { text: 'höh' },
      { text: 'er' },
    ])
  })
})

describe('a length left to chance', () => {
  test('is drawn for each run, with everything that depends on it', () => {
    const scenario = scenarioOf(`
job: { duration: 72s..108s, updates: [{ at: 50%, status: working }] }
faults: [{ from: 100%, for: 30s, down: receiver }]
replications: 3
seed: 5
`)
    const runs = [0, 1, 2].map((index) => runOf(scenario, index))
    expect(runs[0]).toEqual(scenario)
    expect(runs.map(({ seed }) => seed)).toEqual([5, 6, 7])
    expect(new Set(runs.map(({ job }) => job.durationUs)).size).toBe(3)
    for (const { job, faults, horizonUs } of runs) {
      const lengthUs = job.durationUs as number
      expect(lengthUs).toBeGreaterThanOrEqual(72 * S)
      expect(lengthUs).toBeLessThanOrEqual(108 * S)
      expect(job.updates[0]?.atUs).toBe(Math.round(lengthUs / 2))
      expect(faults[0]?.when).toEqual({ of: 'once', fromUs: lengthUs, toUs: lengthUs + 30 * S })
      expect(horizonUs).toBe(lengthUs + 3600 * S)
    }
    expect(runOf(scenario, 2)).toEqual(runs[2])
  })

  test('may put the end of a fault before its beginning: then it does not last', () => {
    const scenario = scenarioOf('job: 5s..60s\nfaults: [{ from: 10s, to: 50%, down: agent }]\n')
    const spans = Array.from({ length: 20 }, (_, index) => {
      const { job, faults } = runOf(scenario, index)
      const { fromUs, toUs } = (faults[0] as (typeof faults)[number]).when as { fromUs: number; toUs: number }
      expect(toUs).toBe(Math.max(fromUs, Math.round((job.durationUs as number) / 2)))
      return toUs - fromUs
    })
    expect(spans.some((us) => us === 0) && spans.some((us) => us > 0)).toBe(true)
  })

  test('does not draw anew what the scenario fixes', () => {
    const scenario = scenarioOf('job: 20s\nnetwork: { latency: 20ms..80ms }\n')
    expect(scenario.undrawn).toBeUndefined()
    expect(runOf(scenario, 7)).toEqual({ ...scenario, seed: 8 })
  })

  test('comes from a grid point by point, one run each', () => {
    const scenario = scenarioOf('job: grid:16s..24s,points=4\n')
    expect(scenario.replications).toBe(4)
    const lengths = [0, 1, 2, 3].map((index) => (runOf(scenario, index).job.durationUs as number) / S)
    expect(lengths).toEqual([17, 19, 21, 23])
  })

  test('leaves out what would come after the end', () => {
    const scenario = scenarioOf('job: { duration: 5s..15s, updates: [{ at: 10s, status: working }] }\n')
    for (let index = 0; index < 20; index++) {
      const { job } = runOf(scenario, index)
      const isLong = (job.durationUs as number) >= 10 * S
      expect(job.updates.map(told)[0]).toBe(isLong ? '10s working' : told(job.updates.at(-1) as Update))
    }
  })

  test('comes from measured values, in a file that is listed with its hash', () => {
    const texts = {
      'mine.yaml': 'job: empirical:lengths.csv,column=length_s\n',
      'lengths.csv': 'name,length_s\na,10\nb,20.5\n"c, d",30\n',
    }
    const { scenario } = files.load(texts)
    const lengths = new Set(Array.from({ length: 40 }, (_, index) => runOf(scenario, index).job.durationUs))
    expect([...lengths].toSorted((a = 0, b = 0) => a - b)).toEqual([10 * S, 20.5 * S, 30 * S])
    expect(scenario.files.map(({ file }) => file.split('/').at(-1))).toEqual(['mine.yaml', 'lengths.csv'])
  })
})

test('whatever a job says, its updates ascend, end with its end, and are the same for the same run', () => {
  const waits = fc.constantFrom('5s', '1s..9s', 'exponential:4s', '{ lognormal: { p50: 3s, p99: 20s } }')
  const update = fc.oneof(
    waits.map((wait) => `{ after: ${wait}, artifact: a }`),
    waits.map((wait) => `{ every: ${wait}, status: working }`),
    fc.constantFrom('{ at: 50%, artifact: b }', '{ every: 2s, from: 10%, until: 80%, artifact: c }'),
  )
  const text = fc
    .tuple(waits, fc.array(update, { minLength: 1, maxLength: 5 }))
    .map(([duration, updates]) => `job: { duration: ${duration}, updates: [${updates.join(', ')}] }\n`)
  fc.assert(
    fc.property(text, fc.integer({ min: 0, max: 1000 }), (yaml, index) => {
      // Some lists are refused, such as a share after a later wait.
      if (files.complaint(yaml) !== 'fine') return
      const scenario = files.load(yaml).scenario
      const { job } = runOf(scenario, index)
      const instants = job.updates.map(({ atUs }) => atUs)
      expect(instants).toEqual(instants.toSorted((a, b) => a - b))
      expect(
        job.updates.filter(({ change }) => change.of === 'status' && change.state === 'completed'),
      ).toEqual([job.updates.at(-1)])
      expect(job.updates.at(-1)?.atUs).toBe(job.durationUs)
      expect(runOf(scenario, index).job).toEqual(job)
    }),
    { seed: 1, numRuns: 150 },
  )
})

const updates = (...entries: string[]) => `job:\n  updates:\n${entries.map((e) => `    - ${e}\n`).join('')}`

describe('a job is refused', () => {
  test.each([
    ['job: never\n', '1:6: a job that never ends needs an end for the run: add horizon: 24h'],
    [
      'job: { duration: never, updates: 3 }\nhorizon: 1h\n',
      '1:34: evenly over what? a job that never ends has no length: write a list',
    ],
    [
      'job: { duration: never, updates: [{ at: 50%, status: working }] }\nhorizon: 1h\n',
      '1:41: 50% of what? the job never ends: write a duration',
    ],
    [
      'job: { duration: never, updates: [{ at: 9s, status: failed }] }\nhorizon: 1h\n',
      '1:18: the updates end the job, but duration says never',
    ],
    [
      'job: { duration: never, outcome: failed }\nhorizon: 1h\n',
      '1:34: outcome belongs to the end, and this job never ends',
    ],
    [
      updates('{ at: 1s, every: 2s, status: working }'),
      '3:17: at and every exclude each other: an instant from the start, or again and again',
    ],
    [
      updates('{ at: 1s, after: 2s, status: working }'),
      '3:17: at and after exclude each other: an instant from the start, or a wait from the update before',
    ],
    [updates('{ at: 1s, until: 2s, status: working }'), '3:17: until belongs to every'],
    [
      'job: { duration: 9s, updates: [{ every: 1s, status: failed }] }\n',
      '1:53: failed happens once: only working and artifacts come again and again',
    ],
    [
      'job: { duration: 9s, updates: [{ every: 0, status: working }] }\n',
      '1:41: every 0 would never let time pass: write 1ms or more',
    ],
    [
      'job: { duration: 9s, updates: [{ every: 1s, from: 5s, until: 3s, status: working }] }\n',
      '1:62: 3s is no later than 5s',
    ],
    [
      'job: { duration: 9d, updates: [{ every: 1ms, status: working }] }\n',
      '1:31: this makes more than 100000 updates: write a longer wait after every',
    ],
    ['job: { duration: 9d, updates: [{ after: 3s..1s, status: working }] }\n', '1:41: 3s..1s runs backwards'],
    [
      updates(
        '{ at: 10s, status: input-required, resume: { after: 30s } }',
        '{ at: 60s, status: completed }',
      ),
      '4:13: after a pause nobody knows the instant beforehand: use after, counted from the resume',
    ],
    [
      updates('{ at: 10s, status: input-required }', '{ after: 60s, status: completed }'),
      '4:7: nothing happens after input-required without resume: add resume: { after: 30s } to it',
    ],
    [
      updates('{ at: 10s, status: input-required, resume: { after: 30s } }'),
      '2:3: how does the job end after its pause? add a last update such as { after: 20s, status: completed }',
    ],
    [
      'job: { duration: 20s, updates: [{ at: 10s, status: input-required, resume: { after: 3s } }] }\n',
      '1:18: after a pause nobody knows the length beforehand: leave duration out, and end with { after: 20s, status: completed }',
    ],
    [
      updates('{ at: 10s, status: working, resume: { after: 30s } }', '{ after: 60s, status: completed }'),
      '3:35: only input-required and auth-required are resumed',
    ],
    [
      updates(
        '{ at: 10s, status: input-required, resume: { text: x } }',
        '{ after: 60s, status: completed }',
      ),
      '3:50: when is it resumed? write resume: { after: 30s }',
    ],
    [
      updates(
        '{ at: 10s, status: auth-required, resume: { after: 1s, text: x } }',
        '{ after: 60s, status: completed }',
      ),
      '3:49: an authorisation from outside says nothing: text and octets are for input-required',
    ],
    [
      'job: { duration: exponential:9s, updates: [{ at: 5s, status: failed }] }\n',
      '1:50: the job ends at 5s, but duration says exponential:9s',
    ],
    [
      'job: { duration: 9s, result: { data: {}, chunks: 2 } }\n',
      '1:42: only text and octets come in chunks: write text, or octets',
    ],
    [
      'job: { duration: 9s, result: { octets: 2, chunks: 3 } }\n',
      '1:51: 3 chunks of 2 octets: each needs one',
    ],
    ['job: { duration: 9s, pollHint: 0s }\n', '1:32: 0s leaves no time for anything: write 1ms or more'],
    [
      'job: grid:1s..2s,points=5\nreplications: 7\n',
      '2:15: the grid has 5 points, one run each: leave replications out',
    ],
    [
      'job: empirical:no.csv,column=ms\n',
      '1:6: there is no file no.csv (it is looked for beside the scenario)',
    ],
  ])('%j', (text, message) => {
    expect(complaint(text)).toBe(`mine.yaml:${message}`)
  })
})

test('many runs of what has no chance are a warning, one run of what has is told', () => {
  expect(files.load('job: 20s\nreplications: 5\n').warnings).toEqual([
    'nothing in this scenario is random: all 5 runs are alike (replications)',
  ])
  for (const random of [
    'job: 10s..30s\n',
    'job: 20s\nnetwork: { latency: 20ms..80ms }\n',
    'job: 20s\nnetwork: { loss: 1% }\n',
    'job: 20s\nmechanisms: [ "poll:5s,jitter=full" ]\n',
    'job: 20s\nmechanisms: [ "poll:5s,first=random" ]\n',
    'job: 20s\nfaults: [{ every: exponential:60s, for: 3s, down: agent }]\n',
  ]) {
    expect(files.load(`${random}replications: 5\n`).warnings).toEqual([])
    expect(files.load(random).assumptions).toContain(
      'one run of what is left to chance, with seed 1 (replications)',
    )
  }
  expect(files.load('job: 20s\nnetwork: { loss: 100% }\n').assumptions.join()).not.toContain('chance')
})
