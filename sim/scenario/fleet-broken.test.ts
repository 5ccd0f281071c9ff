/** Fleets that cannot be played: the first line of what is said of each. */
import { describe, expect, test } from 'vitest'
import { createFiles } from './files.suite.ts'

const files = createFiles()
const said = (text: string, more: Record<string, string> = {}) =>
  files
    .complaint({ ...more, 'mine.yaml': text })
    .split('\n')
    .filter((line) => !line.startsWith('  '))

const fleet = (keys: string) => `job: 20s\nfleet: { ${keys} }\n`
const DAY = Array<number>(24).fill(1).join(', ')

describe('fleet', () => {
  test.each([
    [fleet('tasks: 5, rate: 1/s, window: 1d'), '2:20: tasks and rate exclude each other'],
    [fleet('rate: 200000/d'), '2:10: a rate needs a window: add window: 1d'],
    [
      fleet('rate: 500, window: 1d'),
      '2:16: 500 is not a rate: write a number per s, m, h or d, such as 7/s or 200000/d',
    ],
    [fleet('window: 1d'), '2:8: how many tasks? add tasks: 1000, rate: 200000/d, or a trace'],
    [fleet('tasks: 5'), '2:8: when do the tasks come? add window: 1h, within: 10m, or arrivals: together'],
    [fleet('tasks: 0, window: 1d'), '2:17: 0 is too few: write 1 or more'],
    [
      fleet('tasks: 20000000000, window: 1d'),
      '2:17: 20,000,000,000 tasks would take days: at most 10,000,000,000',
    ],
    [
      fleet('rate: 9000000/s, window: 1d'),
      '2:16: 777,600,000,000 tasks would take days: at most 10,000,000,000',
    ],
    [fleet('tasks: 5, window: 0'), '2:28: 0 leaves no time for anything: write 1ms or more'],
    [fleet('tasks: 5, windows: 1h'), '2:20: unknown key windows: did you mean window?'],
    [fleet('tasks: 5, arrivals: togehter'), '2:30: "togehter" is not known here: did you mean together?'],
    [fleet('tasks: 5, arrivals: together, within: 5m'), '2:40: together is all at once: leave within out'],
    [
      fleet('rate: 1/s, arrivals: together, window: 1d'),
      '2:10: a rate spreads tasks over time: with together write tasks',
    ],
    [fleet('rate: 1/d, arrivals: even, window: 1h'), '2:16: 1/d brings no task in 1h'],
    [
      fleet('tasks: 5, window: 1d, arrivals: { daily: [1, 2] }'),
      '2:51: a day has 24 hours: 2 weights stand here',
    ],
    [
      fleet(`tasks: 5, window: 1d, arrivals: { daily: [${DAY.replaceAll('1', '0')}] }`),
      '2:51: all weights are 0: no task ever comes',
    ],
    [
      fleet(`tasks: 5, window: 1d, arrivals: { daily: [-1, ${DAY}] }`),
      '2:52: -1 is negative: a weight is 0 or more',
    ],
    [
      fleet('tasks: 5, window: 1d, arrivals: { onOff: { busy: 5m } }'),
      '2:51: how long do none come? add idle: 10m',
    ],
    [
      fleet('tasks: 5, window: 1d, arrivals: { onOff: { busy: 0, idle: 5m } }'),
      '2:59: who is busy for 0 has no time for any task',
    ],
    [
      fleet(`tasks: 5, window: 1d, arrivals: { daily: [${DAY}], onOff: { busy: 5m, idle: 5m } }`),
      '2:125: daily and onOff exclude each other',
    ],
    [
      fleet('tasks: 5, window: 1d, arrivals: {}'),
      '2:42: when do they come? write { daily: [ 24 weights ] } or { onOff: { busy: 10m, idle: 50m } }',
    ],
    [
      fleet('tasks: 9, arrivals: together, clients: 2, tasksPerClient: 3'),
      '2:52: 2 clients with 3 tasks each have 6, and there are 9: leave one of them out',
    ],
    [
      fleet('rate: 1/s, window: 1d, tasksPerClient: 3'),
      '2:33: how many tasks come is left to chance: with a rate write clients: 100',
    ],
    [fleet('tasks: 9, arrivals: together, cooldown: 5m'), '2:40: a cool-down after what? add window: 1h'],
    [
      fleet('tasks: 9, window: 365d'),
      '2:28: 365d in bins of 1s are 31,536,000, and at most 10,000,000 are told: write bin: 4s or more',
    ],
    [
      `job: 20s\nhorizon: 1h\nfleet: { tasks: 9, warmup: 1m, window: 1h }\n`,
      '3:40: the window ends at 1h1m, and the run stops before that, at 1h (horizon)',
    ],
    [
      'job: never\nfleet: { tasks: 9, arrivals: together }\n',
      '2:8: a job that never ends needs an end for the run: add horizon: 24h, or fleet.window',
    ],
    [
      'job: 20s\nfleet: { tasks: 9, window: 1h }\nfaults: [{ from: 100%, for: 5s, down: agent }]\n',
      '3:18: 100% of what? each task of a fleet has a length of its own: write a duration',
    ],
    ['fleet: { tasks: 9, window: 1h }\n', '1:1: the scenario says nothing about the job: add job: 20s'],
    ['job: 20s\nfleet: 200000/d\n', '2:8: expected a map, got the text "200000/d"'],
  ])('%s', (text, problem) => {
    expect(said(text)).toEqual([`mine.yaml:${problem}`])
  })
})

describe('jobs', () => {
  const jobs = (list: string, rest = 'fleet: { tasks: 9, window: 1h }') => `jobs: [${list}]\n${rest}\n`
  test.each([
    [jobs('{ share: 90%, duration: 5s }'), '1:7: the shares add up to 90%, not to 100%'],
    [jobs('{ duration: 5s }'), '1:8: how many of the tasks are such? add count: 10, or share: 50%'],
    [jobs('{ count: 1, share: 100%, duration: 5s }'), '1:20: count and share exclude each other'],
    [jobs('{ count: 9, duraton: 5s }'), '1:20: unknown key duraton: did you mean duration?'],
    [
      jobs('{ count: 9 }'),
      '1:8: how long does the job take? add duration: 20s, or a last update with a terminal status',
    ],
    [
      jobs('{ count: 9, updates: [{ at: 5s, status: completed }, { at: 9s, status: working }] }'),
      '1:61: nothing happens after a terminal state (completed at 5s)',
    ],
    [
      jobs('{ count: 8, duration: 5s }'),
      '2:8: the jobs count 8 tasks, and there are 9: let the counts add up, or give one kind a share',
    ],
    [
      jobs('{ count: 10, duration: 5s }, { share: 100%, duration: 1s }'),
      '2:8: the jobs count 10 tasks, and there are 9: let the counts add up, or give one kind a share',
    ],
    [
      jobs('{ share: 100%, duration: 5s }', ''),
      '1:1: shares of how many tasks? add fleet: { tasks: 1000, window: 1h }',
    ],
    [
      jobs('{ name: a, count: 4, duration: 5s }, { name: a, count: 5, duration: 5s }'),
      '1:53: "a" is there twice',
    ],
    [
      jobs('{ share: 100%, duration: 5s }', 'fleet: { tasks: 9, window: 1h }\njob: 5s'),
      '1:1: job and jobs exclude each other',
    ],
    [jobs(''), '1:7: this list is empty: write the kinds of jobs there are, or job for one'],
    [
      'jobs: 20s\n',
      '1:7: jobs is a list: write [ { share: 90%, duration: 20s }, { share: 10%, duration: 2m } ]',
    ],
    [jobs('20s'), '1:8: expected a map, got the text "20s"'],
  ])('%s', (text, problem) => {
    expect(said(text)).toEqual([`mine.yaml:${problem}`])
  })
})

describe('fleet.trace', () => {
  const CSV = 'at_s,n,who\n1,5,a\n2,7,b\n'
  const trace = (keys: string, more = '') => `job: 20s\nfleet: { trace: { ${keys} }${more} }\n`
  test.each([
    [trace('at: at_s'), '2:17: which file? write trace: { file: traces/mine.csv, at: began }'],
    [trace('file: t.csv'), '2:17: which column says when a task began? add at: began'],
    [
      trace('file: other.csv, at: at_s'),
      '2:25: there is no file other.csv (it is looked for beside the scenario)',
    ],
    [trace('file: t.csv, at: att_s'), '2:36: t.csv: there is no column "att_s": did you mean at_s?'],
    [
      trace('file: t.csv, at: $n'),
      '2:36: "$" is not allowed here: columns, numbers, durations and + - * / ( ) min max',
    ],
    [trace('file: t.csv, at: n'), '2:36: t.csv: at: "n" has no unit: write 1ms * n'],
    [
      trace('file: t.csv, at: at_s, client: whom'),
      '2:50: t.csv: there is no column "whom": did you mean who?',
    ],
    [trace('file: t.csv, at: at_s, rows: 3'), '2:48: t.csv: it has 2 rows, and 3 are asked for'],
    [trace('file: t.csv, at: at_s, speed: fast'), '2:49: "fast" is not a factor: write x1.2'],
    [
      trace('file: t.csv, at: at_s', ', within: 5m'),
      '2:44: a trace says itself when tasks come: leave within out',
    ],
    [
      trace('file: t.csv, at: at_s', ', arrivals: even'),
      '2:44: a trace says itself when tasks come: leave arrivals out',
    ],
    [trace('file: t.csv, at: at_s', ', tasks: 2'), '2:10: tasks and trace exclude each other'],
    [
      trace('file: t.csv, at: at_s', ', warmup: 5s'),
      '2:52: the trace is over at 1.000001s, before the warm-up is',
    ],
    [
      trace('file: t.csv, at: at_s, client: who', ', clients: 2'),
      '2:57: the trace says whose each task is (client): leave clients out',
    ],
    [
      trace('file: t.csv, at: at_s, duration: 1ms * n'),
      '1:6: the trace says how long each job takes: leave duration out',
    ],
  ])('%s', (text, problem) => {
    expect(said(text, { 't.csv': CSV })).toEqual([`mine.yaml:${problem}`])
  })

  test('an expression that YAML cuts is told so', () => {
    const text = 'fleet: { trace: { file: t.csv, at: at_s, duration: max(1s, 1s * n) } }\n'
    const cut = 'this looks like a part of an expression that YAML cut at a comma, or a bracket is missing'
    expect(said(text, { 't.csv': CSV })).toEqual([
      `mine.yaml:1:52: ${cut}: put the whole expression in quotes`,
    ])
  })

  test.each([
    ['1,5\n3,x\n', 'duration', 't.csv: row 2 (line 3), column n: "x" is no number'],
    [
      '1,5\n0.5,1\n',
      'at',
      't.csv: row 2 (line 3), column at_s: it comes 500ms before the row above it: sort the rows by when they began',
    ],
    ['1,-5\n', 'duration', 't.csv: row 1 (line 2), duration: -5ms is negative'],
  ])('rows %j are told at %s', (rows, key, problem) => {
    const text = `fleet:\n  trace:\n    file: t.csv\n    at: at_s\n    duration: 1ms * n\n`
    const place = key === 'at' ? '4:9' : '5:15'
    expect(said(text, { 't.csv': `at_s,n\n${rows}` })).toEqual([`mine.yaml:${place}: ${problem}`])
  })
})

describe('what only a fleet has', () => {
  test.each([
    [
      'job: 20s\nmechanisms: [{ mix: [{ share: 100%, policy: poll:5s }] }]\n',
      '2:16: a mix is about many tasks: add a fleet, such as fleet: { tasks: 1000, window: 1h }, or write an entry for each policy',
    ],
    [
      'job: 20s\nwire: { sizes: { poll: { up: 871, down: 0 } } }\n',
      '2:9: of one job every message is measured: sizes are given for a fleet, such as fleet: { tasks: 1000, window: 1h }',
    ],
    [
      'job: 20s\nthresholds: [ max(connectionsOpen) <= 5 ]\n',
      '2:15: max(connectionsOpen) is told of many tasks: add a fleet, such as fleet: { tasks: 1000, window: 1h }',
    ],
    [
      'job: 20s\nmechanisms: [push]\nexpect: { push: { tasks: 1 } }\n',
      '3:19: tasks is told of many tasks: add a fleet, such as fleet: { tasks: 1000, window: 1h }',
    ],
    [
      'job: 20s\nthresholds: [ max(requestsPerSecond) <= 5 ]\n',
      '2:15: of one task only mean(requestsPerSecond) is told: add a fleet, such as fleet: { tasks: 1000, window: 1h }',
    ],
  ])('%s', (text, problem) => {
    expect(said(text)).toEqual([`mine.yaml:${problem}`])
  })
})

describe('what a fleet has not', () => {
  const expecting = (metric: string) =>
    `${fleet('tasks: 9, window: 1h')}mechanisms: [push]\nexpect: { push: { ${metric} } }\n`
  test.each([
    [
      expecting('timeToLearn: 5s'),
      '4:19: timeToLearn is a number for each task: write one of mean(timeToLearn), p50(timeToLearn), p90(timeToLearn), p95(timeToLearn), p99(timeToLearn), p99.9(timeToLearn), max(timeToLearn)',
    ],
    [expecting('mean(age): 5s'), '4:19: age is told of one task, not of a fleet'],
    [expecting('max(requests): 5'), '4:19: requests is one number for a whole fleet: write requests'],
    [expecting('events: [5s cut]'), '4:19: events are told of one task, not of a fleet'],
    [
      `${fleet('tasks: 9, window: 1h')}thresholds: [ connectionsOpen <= 5 ]\n`,
      '3:15: connectionsOpen is a number for each instant: write one of mean(connectionsOpen), max(connectionsOpen)',
    ],
    [
      `${fleet('tasks: 9, window: 1h')}mechanisms: [{ poll: 5s, thresholds: [ sum(timeToLearn) < 1d ] }]\n`,
      '3:40: sum(timeToLearn) is part of the format but not of this release: it is not measured',
    ],
  ])('%s', (text, problem) => {
    expect(said(text)).toEqual([`mine.yaml:${problem}`])
  })
})

describe('populations', () => {
  const mix = (entry: string) => `${fleet('tasks: 9, window: 1h')}mechanisms: [{ ${entry} }]\n`
  test.each([
    [
      mix('mix: [{ share: 60%, policy: poll:5s }, { share: 30%, policy: push }]'),
      '3:21: the shares add up to 90%, not to 100%',
    ],
    [mix('mix: [{ policy: poll:5s }]'), '3:22: which share of the tasks goes by it? add share: 50%'],
    [mix('mix: [{ share: 100% }]'), '3:22: which mechanism? write poll, stream, push or blocking'],
    [mix('mix: [{ share: 100%, policy: pol:5s }]'), '3:45: "pol" is no mechanism: did you mean poll?'],
    [
      mix('mix: [{ share: 100%, poll: { intervall: 5s } }]'),
      '3:45: unknown key intervall: did you mean interval?',
    ],
    [mix('mix: [{ share: 100%, label: a, policy: push }]'), '3:37: unknown key label'],
    [
      mix('mix: [{ share: 100%, policy: push }], poll: 5s'),
      '3:54: mix and poll exclude each other: make poll a part of the mix',
    ],
    [
      mix('mix: poll:5s'),
      '3:21: mix is a list: write [ { share: 70%, policy: poll:5s }, { share: 30%, policy: stream } ]',
    ],
  ])('%s', (text, problem) => {
    expect(said(text)).toEqual([`mine.yaml:${problem}`])
  })
})

describe('agent.capacity and wire', () => {
  const capacity = (keys: string) => `job: 20s\nagent: { capacity: { ${keys} } }\n`
  test.each([
    [capacity('handlers: 0'), '2:32: 0 is too few: write 1 or more'],
    [capacity('queue: 5'), '2:22: a queue for what? add handlers: 16'],
    [capacity('full: wait'), '2:22: full of what? add connections: 5000, or handlers: 16 with queue: 100'],
    [capacity('connections: 5, full: 500'), '2:44: expected 503, 429, refuse or wait, got the number 500'],
    [
      capacity('handlers: 5, service: { exponential: 5ms }'),
      '2:46: here a map has operations: write the distribution as a text, such as lognormal:p50=5ms,p95=20ms',
    ],
    [capacity('handlers: 5, service: { pol: 5ms }'), '2:46: unknown key pol: did you mean poll?'],
    [
      `${fleet('tasks: 9, window: 1h')}wire: { sizes: { poll: { up: 871 } } }\n`,
      '3:24: a size has both ways: add down: 0 for nothing',
    ],
    [
      `${fleet('tasks: 9, window: 1h')}wire: { sizes: { polls: { up: 871 } } }\n`,
      '3:18: unknown key polls: did you mean poll?',
    ],
  ])('%s', (text, problem) => {
    expect(said(text)).toEqual([`mine.yaml:${problem}`])
  })
})
