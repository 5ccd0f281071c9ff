/**
 * `node --import tsx bench/perf/references/main.ts`: each reference on W and Q
 * with 200,000 jobs, a line of JSON each. SimPy gets a tenth of the jobs, which
 * favours it: its events get dearer the more there are. With `heap|flatqueue W|Q
 * JOBS SEED REPETITIONS`, that one alone.
 */
import {
  EVENT_LISTS,
  type ListName,
  measureList,
  measureListApart,
  measureSimPy,
  type Workload,
} from './references.ts'

const NAMES = Object.keys(EVENT_LISTS) as ListName[]
const WORKLOADS: readonly Workload[] = ['W', 'Q']
const SIZE = { jobs: 200_000, seed: 1, repetitions: 3 }
const SIMPY_SIZE = { jobs: 20_000, seed: 1 }

const print = (told: object) => process.stdout.write(`${JSON.stringify(told)}\n`)

const [name, workload, ...numbers] = process.argv.slice(2)
if (name === undefined)
  for (const each of WORKLOADS) {
    for (const list of NAMES)
      print({ reference: list, workload: each, jobs: SIZE.jobs, ...measureListApart(list, each, SIZE) })
    const simpy = measureSimPy(each, SIMPY_SIZE)
    const told = typeof simpy === 'string' ? { said: simpy } : { jobs: SIMPY_SIZE.jobs, ...simpy }
    print({ reference: 'simpy', workload: each, ...told })
  }
else {
  const list = NAMES.find((known) => known === name)
  const run = WORKLOADS.find((known) => known === workload)
  const [jobs = SIZE.jobs, seed = SIZE.seed, repetitions = SIZE.repetitions] = numbers.map(Number)
  if (list === undefined || run === undefined)
    throw new RangeError(`a reference is one of ${NAMES.join(', ')} on W or Q, not ${name} on ${workload}`)
  print(measureList(list, run, { jobs, seed, repetitions }))
}
