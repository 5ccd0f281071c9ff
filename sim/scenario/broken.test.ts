import { describe, expect, test } from 'vitest'
import { createFiles } from './files.suite.ts'

const files = createFiles()
const firstLine = (text: string) => text.split('\n')[0]
/** The first lines of all problems. */
const firstLines = (text: string) => text.split('\n').filter((line) => !line.startsWith('  '))

const updates = (...entries: string[]) => `job:\n  updates:\n${entries.map((e) => `    - ${e}\n`).join('')}`
const mechanisms = (...entries: string[]) =>
  `job: 20s\nmechanisms:\n${entries.map((e) => `  - ${e}\n`).join('')}`

describe('a broken file is refused at its place', () => {
  test.each([
    // What is no YAML, or YAML that is no scenario.
    ['', 'mine.yaml is empty: the shortest scenario is one line: job: 20s'],
    ['# later\n', 'mine.yaml says nothing: the shortest scenario is one line: job: 20s'],
    [
      '- poll:7s\n',
      'mine.yaml:1:1: a scenario is a map of keys, this is a list: the shortest scenario is one line: job: 20s',
    ],
    ['job: "20s\n', 'mine.yaml:1:10: not YAML: missing closing "quote'],
    ['job:\n\tduration: 20s\n', 'mine.yaml:2:1: YAML allows no tabs for indentation: use spaces'],
    [
      'question: Why: so\n',
      'mine.yaml:1:11: a text that contains ": " needs quotes; if this is meant as a map, begin it on the next line',
    ],
    ['job: 20s\njob: 30s\n', 'mine.yaml:2:1: the key job is there twice'],
    [
      'job: 1s\n---\njob: 2s\n',
      'mine.yaml:2:1: one scenario a file: put what follows --- into a file of its own',
    ],
    ['job: *base\n', 'mine.yaml:1:6: there is no anchor &base before this alias'],
    ['job: &a { message: *a }\n', 'mine.yaml:1:20: *a stands inside its own anchor'],
    [
      'job: !secret 20s\n',
      'mine.yaml:1:6: tags such as !!str are not allowed in a scenario: it is data only',
    ],
    [
      'job: { updates: [{ at: 5s, artifact: x, data: { k: [.nan] } }, { after: 0, status: completed }] }\n',
      'mine.yaml:1:47: JSON has no such number: .nan and .inf cannot travel',
    ],
    [
      'extends: [a, b]\njob: 3s\n',
      'mine.yaml:1:10: expected the path of one scenario file, relative to this one, such as base.yaml',
    ],
    [
      'job: { updates: [{ at: 5s, artifact: x, data: null }, { after: 0, status: completed }] }\n',
      'mine.yaml:1:47: null is no data to the official client: leave data out, or write {}',
    ],
    ['job: !!str 20s\n', 'mine.yaml:1:6: tags such as !!str are not allowed in a scenario: it is data only'],
    [
      '<<: { seed: 2 }\njob: 20s\n',
      'mine.yaml:1:1: merge keys (<<) are not part of the format: write the keys out, or use extends',
    ],
    ['%YAML 1.1\n---\njob: 20s\n', 'mine.yaml:1:1: a scenario has no % lines: remove this one'],
    [
      `x-a: &a 1\nx-b:\n${'  - *a\n'.repeat(101)}job: 1s\n`,
      'mine.yaml:103:5: more than 100 aliases: write the values out',
    ],
    ['x: '.concat('['.repeat(20_000)), 'this is nested too deeply to be read'],
    [
      'job: 9s\nmechanisms:\n  - stream: { reconnect: @chromium }\n',
      'mine.yaml:3:26: YAML keeps @ for itself at the start of a value: write chromium without @, or in quotes',
    ],
    [
      'job: 9s\nmechanisms: [stream]\nexpect:\n  stream: { reconnects: >= 1 }\n',
      'mine.yaml:4:25: a value cannot begin with >: write a range such as 3.. or ..60s',
    ],

    // Keys.
    ['job:\n  duraton: 20s\n', 'mine.yaml:2:3: unknown key duraton: did you mean duration?'],
    ['job: 20s\nnetwrk: {}\n', 'mine.yaml:2:1: unknown key netwrk: did you mean network?'],
    ['job: 20s\n__proto__: 1\n', 'mine.yaml:2:1: unknown key __proto__'],
    [
      mechanisms('{ poll: 5s, first: after }'),
      'mine.yaml:3:17: first belongs inside: poll: { interval: 5s, first: after }',
    ],
    ['seed: 1\n', 'mine.yaml:1:1: the scenario says nothing about the job: add job: 20s'],
    ['name: My case\njob: 20s\n', 'mine.yaml:1:7: a name is lower-case letters, digits and hyphens'],
    ['question: 42\njob: 20s\n', 'mine.yaml:1:11: expected a text, got the number 42: put it in quotes'],

    // Durations and sizes.
    ['job: 7\n', 'mine.yaml:1:6: 7 has no unit: write 7s, 7ms or 7m'],
    ['job: 7 sec\n', 'mine.yaml:1:6: "7 sec" is not a duration: write 7s'],
    [
      'job: soon\n',
      'mine.yaml:1:6: "soon" is not a duration: write a number and a unit (us, ms, s, m, h, d), such as 250ms, 20s or 1h30m',
    ],
    [
      'job: 1m1h\n',
      'mine.yaml:1:6: "1m1h" is not a duration: units go from large to small, each once, such as 1h30m',
    ],
    [
      'job: 0.5us\n',
      'mine.yaml:1:6: "0.5us" is not a whole number of microseconds: write it with fewer decimals',
    ],
    ['job: 3s..1s\n', 'mine.yaml:1:6: 3s..1s runs backwards'],
    ['job: lognorm:p50=3s\n', 'mine.yaml:1:6: "lognorm" is no distribution: did you mean lognormal?'],
    [
      'job: 20s\nnetwork: { latency: { up: -50ms } }\n',
      'mine.yaml:2:27: -50ms is negative: a duration is 0 or more',
    ],
    ['job: 20s\nhorizon: 0s\n', 'mine.yaml:2:10: a horizon of 0 leaves no time for the run'],
    [
      'job: { duration: 9s, result: 12k }\n',
      'mine.yaml:1:30: "12k" is not a size: write octets as a whole number, or with a unit such as 12kB or 4MiB',
    ],
    [
      'job: 9s\nagent: { binding: http+json }\n',
      'mine.yaml:2:19: "http+json" is not known here: did you mean HTTP+JSON?',
    ],

    // The job.
    [
      updates('{ at: 20s, status: completed }', '{ at: 30s, artifact: report, text: late }'),
      'mine.yaml:4:7: nothing happens after a terminal state (completed at 20s)',
    ],
    [
      updates('{ at: 30s, status: working }', '{ at: 20s, status: completed }'),
      'mine.yaml:4:13: 20s lies before the update above it (30s)',
    ],
    [
      'job:\n  duration: 9s\n  updates: [{ at: 12s, status: working }]\n',
      'mine.yaml:3:19: 12s lies after the end of the job (9s)',
    ],
    [
      'job:\n  duration: 9s\n  updates: [{ at: 5s, status: failed }]\n',
      'mine.yaml:3:19: the job ends at 5s, but duration says 9s',
    ],
    [
      updates('{ at: 5s, status: working }'),
      'mine.yaml:2:3: how long does the job take? add duration: 20s, or a last update with a terminal status',
    ],
    [
      updates('{ at: 50%, status: working }', '{ at: 9s, status: completed }'),
      "mine.yaml:3:13: 50% of what? add the job's length: duration: 100s",
    ],
    [
      updates('{ status: completed }'),
      'mine.yaml:3:7: when does it happen? write at: 20s, after: 5s from the update before, or every: 4m',
    ],
    [updates('{ at: 9s, status: TASK_STATE_COMPLETED }'), 'mine.yaml:3:25: write the state as completed'],
    [
      updates('{ at: 9s, artifact: a, text: hello, octets: 5 }'),
      'mine.yaml:3:43: text and octets exclude each other: the content once',
    ],
    [
      updates('{ at: 5s, status: working }', '{ at: 9s, status: rejected }'),
      'mine.yaml:4:25: a task that is working cannot become rejected: an agent that has begun to work has accepted the task; try failed',
    ],
    [
      updates('{ at: 5s, status: working }', '{ at: 6s, status: submitted }', '{ at: 9s, status: failed }'),
      'mine.yaml:4:25: a task that is working cannot become submitted',
    ],
    [
      'job: { duration: 9s, updates: 3, outcome: rejected }\n',
      'mine.yaml:1:43: a task that is working cannot become rejected: an agent that has begun to work has accepted the task; try failed',
    ],

    // Mechanisms.
    [mechanisms('poll:7s', 'pol:30s'), 'mine.yaml:4:5: "pol" is no mechanism: did you mean poll?'],
    [mechanisms('poll: { interval: 7 }'), 'mine.yaml:3:23: 7 has no unit: write 7s, 7ms or 7m'],
    [mechanisms('poll:7s,jiter=full'), 'mine.yaml:3:13: unknown key jiter: did you mean jitter?'],
    [mechanisms('"poll:7s,frist=after"'), 'mine.yaml:3:14: unknown key frist: did you mean first?'],
    [
      mechanisms('poll:5s,poll:7s'),
      'mine.yaml:3:13: two mechanisms in one word: write two entries, or poll:5s+poll:7s (side by side) or poll:5s>poll:7s (fall back)',
    ],
    [
      mechanisms('poll:0'),
      'mine.yaml:3:10: an interval of 0 would poll without end at one instant: write 1ms or more',
    ],
    [
      mechanisms('poll:7s', 'poll:7000ms'),
      'mine.yaml:4:5: "poll:7s" is there twice: give one of them a label',
    ],
    [
      mechanisms('{ poll: 7s, push: null }'),
      'mine.yaml:3:5: one mechanism per entry: poll and push are two; to use both side by side write poll: { with: push }',
    ],
    [
      'job: 9s\nmechanisms: [poll:7s,first=after, stream]\n',
      'mine.yaml:2:22: "first=after" looks like the second half of a policy word that YAML cut at a comma: put the whole word in quotes, or one entry a line',
    ],
    ['job: 9s\nmechanisms: poll:7s\n', 'mine.yaml:2:13: mechanisms is a list: write [poll:7s]'],

    // Thresholds and expectations.
    [
      'job: 9s\nthresholds:\n  - p95(timeToLearn) <= 5\n',
      'mine.yaml:3:5: p95(timeToLearn) is a time: "5" has no unit: write 5s, 5ms or 5m',
    ],
    [
      'job: 9s\nthresholds: [ timeToLern <= 5s ]\n',
      'mine.yaml:2:15: there is no metric "timeToLern": did you mean timeToLearn?',
    ],
    [
      'job: 9s\nthresholds: [ lateness <= 5s ]\n',
      'mine.yaml:2:15: lateness is a number for each update: write one of mean(lateness), p50(lateness), p95(lateness), max(lateness)',
    ],
    [
      'job: 9s\nmechanisms: [poll:7s]\nexpect:\n  poll:8s: { requests: 3 }\n',
      'mine.yaml:4:3: no mechanism gives a row "poll:8s": did you mean poll:7s?',
    ],
    ['job: 9s\nexpect:\n  push: { requests: 5s }\n', 'mine.yaml:3:21: requests is a count, 5s is a time'],
    [
      'job: 9s\nexpect:\n  push: { requests: ">= 1" }\n',
      'mine.yaml:3:21: a value cannot begin with >: write a range such as 3.. or ..60s',
    ],
    ['job: 9s\nexpect:\n  push: { requests: 9..3 }\n', 'mine.yaml:3:21: 9..3 runs backwards'],
    [
      'job: 9s\nmechanisms: ["poll:7s,first=after"]\nexpect: { poll:7s,first=after: { polls: 2 } }\n',
      'mine.yaml:3:19: "first=after" looks like the second half of a policy word that YAML cut at a comma: put the whole word in quotes, or one entry a line',
    ],
  ])('%j', (text, message) => {
    const said = firstLine(files.complaint(text)) as string
    // How deep the parser came depends on the machine.
    expect(said.replace(/^.*(?=this is nested)/, '')).toBe(message)
  })

  test('bytes that are no text', () => {
    expect(files.complaint(new Uint8Array([0xff, 0xfe, 0x41]))).toBe('mine.yaml is no text in UTF-8')
  })
})

test('everything that is wrong is told at once, from top to bottom', () => {
  const text = `job:
  duraton: 9s
  updates:
    - { at: 7, status: working }
    - { at: 20s, status: completed, txt: Done. }
    - { at: 30s, artifact: report }
network: { loss: 5 }
mechanisms: [poll-7s, { label: a }, stream, stream]
`
  expect(firstLines(files.complaint(text))).toEqual([
    'mine.yaml:2:3: unknown key duraton: did you mean duration?',
    'mine.yaml:4:13: 7 has no unit: write 7s, 7ms or 7m',
    'mine.yaml:5:37: unknown key txt: did you mean text?',
    'mine.yaml:6:7: nothing happens after a terminal state (completed at 20s)',
    'mine.yaml:7:18: 5 is not a share: write a percentage such as 25%',
    'mine.yaml:8:14: "poll-7s" is no mechanism',
    'mine.yaml:8:23: which mechanism? write poll, stream, push or blocking',
    'mine.yaml:8:45: "stream" is there twice: give one of them a label',
  ])
})

test('a message shows the line, the mark and what is allowed', () => {
  expect(files.complaint('job: 20s\nmechanisms:\n  - "poll:7s,frist=after"\n')).toBe(
    [
      'mine.yaml:3:14: unknown key frist: did you mean first?',
      '     3 |   - "poll:7s,frist=after"',
      '       |              ^^^^^^^^^^^',
      '       allowed: use, interval, initial, multiplier, max, delays, min, first, waitFrom, jitter, attempts, budget, lastLook, hint, margin, retryAfter, slowDown, on429, onError, adapt, conditional, hold, timeout, scope, concurrency, batch, else, with, recover',
    ].join('\n'),
  )
})

test('of a long line only the surroundings of the mark are shown', () => {
  const [, line = '', mark = ''] = files
    .complaint(`{ "x-a": "${'a'.repeat(300)}", "job": "7 sec", "x-b": "${'b'.repeat(300)}" }`)
    .split('\n')
  expect(line.length).toBeLessThan(120)
  expect(line.slice(mark.indexOf('^'), mark.lastIndexOf('^') + 1)).toBe('"7 sec"')
})

describe('options of the command line are marked like files', () => {
  test.each([
    [{ mechanisms: ['poll:7x'] }, '-m poll:7x', '7x'],
    [{ mechanisms: ['stream', '{ poll: { interval: 7 } }'] }, '-m { poll: { interval: 7 } }', '7'],
    [{ mechanisms: ['stream>pol:30s'] }, '-m stream>pol:30s', 'pol'],
    [{ set: ['job.duration=7'] }, '--set job.duration=7', '7'],
    [{ set: ['network.latencey=5ms'] }, '--set network.latencey=5ms', 'latencey'],
    [{ set: ['mechanisms.9=poll:1s'] }, '--set mechanisms.9=poll:1s', '9'],
    [{ set: ['job.updates.0.at=3s'] }, '--set job.updates.0.at=3s', '0'],
    [{ set: ['poll.interval=3s'] }, '--set poll.interval=3s', '3s'],
    [{ set: ['question=why'] }, '--set question=why', 'question'],
    [{ set: ['seed'] }, '--set seed', 'seed'],
    [{ seed: -1 }, '--seed -1', '-1'],
    [{ binding: 'grpc' }, '--binding grpc', 'grpc'],
    [{ thresholds: ['lots < 1'] }, '--threshold lots < 1', 'lots < 1'],
  ])('%j', (overrides, option, marked) => {
    const [message = '', line = '', mark = ''] = files.complaint('job: 20s\n', overrides).split('\n')
    expect(message).toMatch(/^command line: /)
    expect(line).toBe(`       | ${option}`)
    expect(line.slice(mark.indexOf('^'), mark.lastIndexOf('^') + 1)).toBe(marked)
  })

  test('an address nobody has names the nearest one', () => {
    const said = files.complaint('job: 20s\n', { set: ['network.latencey=5ms'] })
    expect(firstLine(said)).toBe('command line: there is no network.latencey: did you mean latency?')
    expect(firstLine(files.complaint('job: 20s\n', { set: ['poll.frist=after'] }))).toBe(
      'command line: there is no poll.frist: did you mean first?',
    )
  })
})

describe('files that are not there', () => {
  test('the nearest name is offered', () => {
    const said = files.complaint({ 'mine.yaml': 'job: 20s\n' }, {}, 'mien.yaml')
    expect(said).toBe('there is no file mien.yaml: did you mean mine.yaml?\n       there are: mine.yaml')
  })

  test('a base is looked for beside its file', () => {
    const said = files.complaint('extends: other.yaml\njob: 20s\n')
    expect(firstLine(said)).toBe('mine.yaml:1:10: there is no file other.yaml')
  })

  test('a circle is drawn', () => {
    const said = files.complaint({
      'mine.yaml': 'extends: two.yaml\n',
      'two.yaml': 'job: 1s\nextends: mine.yaml\n',
    })
    expect(firstLine(said)).toBe(
      'two.yaml:2:10: extends goes round in a circle: mine.yaml -> two.yaml -> mine.yaml',
    )
  })

  test('a folder is no file', () => {
    expect(firstLine(files.complaint('job: 20s\n', {}, '.'))).toMatch(/is a folder: name a file in it$/)
  })
})

test('a mistake in a base is told where it stands', () => {
  const said = files.complaint({
    'mine.yaml': 'extends: base.yaml\nseed: 2\n',
    'base.yaml': 'seed: 3\njob: 7\n',
  })
  expect(firstLine(said)).toBe('base.yaml:2:6: 7 has no unit: write 7s, 7ms or 7m')
})
