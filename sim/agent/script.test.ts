import { expect, test } from 'vitest'
import type { StreamResponse } from '../protocol/a2a.ts'
import type { Change } from '../scenario/scenario.ts'
import { jobOf } from '../testing/scenario.ts'
import { scenarioJob } from './behaviours/scenario-job.ts'
import { scriptOf } from './script.ts'

const clock = { dateOf: (atUs: number) => new Date(Math.floor(atUs / 1000)) }
const task = {
  taskId: 't',
  contextId: 'c',
  status: { state: 'TASK_STATE_SUBMITTED', timestamp: '1970-01-01T00:00:05.000Z' },
} as const
const message = { messageId: 'm', role: 'ROLE_USER' as const, parts: [{ text: 'in Porto for 40' }] }

/** The events of a job whose changes are all at 1.5 ms after its start. */
function eventsOf(...changes: Change[]): StreamResponse[] {
  let drawn = 0
  const plan = scenarioJob(jobOf(changes.map((change) => ({ atUs: 1500, change }))))({
    message,
    known: {},
    taskId: 't',
  })
  if (plan.kind === 'reply') throw new Error('a job is work')
  const tools = { ids: () => `id${++drawn}`, clock }
  return scriptOf(plan.steps, task, 5_000_000, tools).map(({ event }) => event)
}

const status = (content?: { text: string } | { octets: number } | { data: unknown }): Change => ({
  of: 'status',
  state: 'working',
  content,
})
const artifact = (append: boolean, lastChunk: boolean): Change => ({
  of: 'artifact',
  artifact: 'shortlist',
  content: undefined,
  append,
  lastChunk,
})

test('a status says what the scenario wants said, in a message with the context and without the task', () => {
  const [silent, text, octets, data] = eventsOf(
    status(),
    status({ text: 'Searching.' }),
    status({ octets: 200 }),
    status({ data: { found: 3 } }),
  ).map((event) => 'statusUpdate' in event && event.statusUpdate.status)
  expect(silent).toEqual({ state: 'TASK_STATE_WORKING', timestamp: '1970-01-01T00:00:05.001Z' })
  expect(text).toMatchObject({
    message: { messageId: 'id1', contextId: 'c', role: 'ROLE_AGENT', parts: [{ text: 'Searching.' }] },
  })
  expect(text && text.message).not.toHaveProperty('taskId')
  expect(octets && octets.message?.parts[0]?.text).toMatch(/^[\x20-\x7e]{200}$/)
  expect(data && data.message?.parts).toEqual([{ data: { found: 3 } }])
})

test('statuses within a millisecond have timestamps that tell them apart', () => {
  const stamps = eventsOf(status(), status({ text: 'Still.' }), status()).map(
    (event) => 'statusUpdate' in event && event.statusUpdate.status.timestamp,
  )
  expect(stamps).toEqual(['1970-01-01T00:00:05.001Z', '1970-01-01T00:00:05.002Z', '1970-01-01T00:00:05.003Z'])
})

test('a chunk without content is the shortlist in words, and as data when appended', () => {
  const [words, data] = eventsOf(artifact(false, false), artifact(true, true))
  expect(words).toEqual({
    artifactUpdate: {
      taskId: 't',
      contextId: 'c',
      artifact: { artifactId: 'shortlist', parts: [{ text: expect.stringContaining('Porto for 40') }] },
    },
  })
  expect(data).toMatchObject({
    artifactUpdate: {
      artifact: { parts: [{ data: { city: 'Porto', headcount: 40 } }] },
      append: true,
      lastChunk: true,
    },
  })
})
