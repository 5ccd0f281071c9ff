/** Pauses of a scenario's job: who ends them, and what comes after. */
import { expect, test } from 'vitest'
import type { Job, Leg } from '../scenario/scenario.ts'
import { MESSAGE, onStage, SEED_JOB } from '../testing/agent-stage.ts'
import { chunk, jobOf, seconds, status } from '../testing/scenario.ts'

const legOf = (resumeSeconds: number, ...updates: Leg['updates']): Leg => ({
  resumeAfterUs: seconds(resumeSeconds),
  content: undefined,
  updates,
})

/** Asks at 10 s, then for leave 5 s after the answer; done 20 s after that was given. */
const JOB: Job = {
  ...jobOf([status(seconds(10), 'input-required', 'Which year?')]),
  durationUs: seconds(65),
  afterPauses: [
    legOf(30, chunk(seconds(1), 'draft'), status(seconds(5), 'auth-required')),
    legOf(7, chunk(seconds(20), 'report'), status(seconds(20), 'completed')),
  ],
}

test('a question waits for the client, an authorisation comes by itself', async () => {
  const { records, leftovers } = await onStage({ job: JOB }, async ({ send, ask, at, agent, clock }) => {
    const { id } = await send()
    await at(42)
    await ask('HTTP+JSON', 'SendMessage', {
      message: { ...MESSAGE, taskId: id },
      configuration: { returnImmediately: true },
    })
    await agent.idle()
    expect(clock.nowUs()).toBe(seconds(42 + 5 + 7 + 20))
  })
  expect(records.flatMap((one) => (one.kind === 'happened' ? [[one.atUs / 1e6, one.change]] : []))).toEqual([
    [10, 'input-required'],
    [42, 'working'],
    [43, 'artifact draft'],
    [47, 'auth-required'],
    [54, 'working'],
    [74, 'artifact report'],
    [74, 'completed'],
  ])
  expect(leftovers).toEqual({ events: 0, timers: 0, waiting: [] })
})

test('an authorisation that somebody else gave is not given again', async () => {
  const twice: Job = {
    ...jobOf([status(seconds(10), 'auth-required')]),
    afterPauses: [legOf(30, status(seconds(5), 'auth-required')), legOf(30, status(0, 'completed'))],
  }
  const { records } = await onStage({ job: twice }, async ({ send, at, agent }) => {
    const { id } = await send()
    await at(12)
    expect(agent.authorised(id)).toBe(true)
    await agent.idle()
  })
  const ends = records.filter((one) => one.kind === 'happened' && one.terminal)
  expect(ends).toMatchObject([{ atUs: seconds(12 + 5 + 30) }])
})

test('an agent is idle when all its tasks are over; with one that never ends it never is', async () => {
  await onStage({ job: SEED_JOB }, async ({ send, at, agent, clock }) => {
    await agent.idle()
    expect(clock.nowUs()).toBe(0)
    await send()
    await at(30)
    await send()
    await agent.idle()
    expect(clock.nowUs()).toBe(seconds(130))
  })
  await onStage({ job: jobOf([status(seconds(1), 'working')]) }, async ({ send, at, agent }) => {
    await send()
    let isIdle = false
    void agent.idle().then(() => (isIdle = true))
    await at(100_000)
    expect(isIdle).toBe(false)
  })
})
