/** The kinds of requests that a fleet of polled tasks makes, by what a task shows then: what their octets depend on. */
import type { JobKind } from '../scenario/fleet.ts'

export interface PollRows {
  /** `<kind> send`, `<kind> poll <updates happened>`, and `<kind> poll <status>` for answers without the task. */
  names: readonly string[]
  /** By number of the kind: the row of its sends, and that of its polls before any update; those of later moments follow. */
  send: Int32Array
  poll: Int32Array
  /** How many moments come before the end. */
  before: Int32Array
  throttled: Int32Array
  refused: Int32Array
}

/** Moments of a job told evenly: before its first update, after each, and the end, with which its result comes. */
export function pollRows(jobs: readonly JobKind[]): PollRows {
  const names: string[] = []
  const columns = () => new Int32Array(jobs.length)
  const rows = {
    send: columns(),
    poll: columns(),
    before: columns(),
    throttled: columns(),
    refused: columns(),
  }
  const add = (name: string): number => names.push(name) - 1
  for (const [kind, { name, job }] of jobs.entries()) {
    const of = name ?? `job ${kind + 1}`
    rows.before[kind] = job.evenly
    rows.send[kind] = add(`${of} send`)
    rows.poll[kind] = add(`${of} poll 0`)
    for (let told = 1; told <= job.evenly; told++) add(`${of} poll ${told}`)
    add(`${of} poll end`)
    rows.throttled[kind] = add(`${of} poll 429`)
    rows.refused[kind] = add(`${of} poll 503`)
  }
  return { names, ...rows }
}
