/** Whole conversations with the demo agent, through its door. */
import { expect, test } from 'vitest'
import type { Binding, Message, Task } from '../../protocol/a2a.ts'
import { wordsOf } from '../../protocol/words.ts'
import { eventsOf, MESSAGE, onStage, type Outcome, resultOf, type Stage } from '../../testing/agent-stage.ts'
import { venueFinder } from './venue-finder.ts'

const authoriseAt = (taskId: string) => `https://leave.example/${taskId}`
const behaviour = venueFinder({ authoriseAt })

const saying = (text: string, where: { contextId?: string; taskId?: string } = {}) => ({
  message: { ...MESSAGE, parts: [{ text }], ...where },
})

/** Sends and waits until the task stops. */
async function say({ ask }: Stage, binding: Binding, text: string, where = {}): Promise<Task> {
  return resultOf<{ task: Task }>(await ask(binding, 'SendMessage', saying(text, where))).task
}

const reasonOf = (outcome: Outcome) => ('error' in outcome ? outcome.error.reason : 'ok')
const listIn = (task: Task) => task.artifacts?.[0]?.parts.at(-1)?.data

test.each<Binding>(['HTTP+JSON', 'JSONRPC'])(
  '%s: the context remembers city and headcount',
  async (binding) => {
    const { leftovers } = await onStage({ behaviour }, async (stage) => {
      const first = await say(stage, binding, 'Find a venue in Porto for 40 people')
      expect(first.status.state).toBe('TASK_STATE_COMPLETED')
      expect(listIn(first)).toMatchObject({ city: 'Porto', headcount: 40 })

      const { contextId } = first as { contextId: string }
      const second = await say(stage, binding, 'same again but for 2 days', { contextId })
      expect(second.id).not.toBe(first.id)
      expect(second.contextId).toBe(contextId)
      expect(listIn(second)).toMatchObject({ city: 'Porto', headcount: 40, days: 2 })

      const stranger = await say(stage, binding, 'same again but for 2 days')
      expect(stranger.status.state).toBe('TASK_STATE_INPUT_REQUIRED')
    })
    expect(leftovers).toEqual({ events: 0, timers: 0, waiting: [] })
  },
)

test('what it was not told it asks for, as often as it takes, and goes on in the same task', async () => {
  await onStage({ behaviour }, async (stage) => {
    const asked = await say(stage, 'HTTP+JSON', 'Find us a venue')
    const { id: taskId, contextId } = asked
    expect(asked.status.state).toBe('TASK_STATE_INPUT_REQUIRED')
    expect(asked.status.message?.parts).toEqual([{ text: 'In which city, and for how many people?' }])

    const again = await say(stage, 'JSONRPC', 'Porto', { taskId })
    expect(again.status.message?.parts).toEqual([{ text: 'For how many people in Porto?' }])
    const done = await say(stage, 'JSONRPC', '40', { taskId, contextId })
    expect(done.id).toBe(taskId)
    expect(done.status.state).toBe('TASK_STATE_COMPLETED')
    expect(listIn(done)).toMatchObject({ city: 'Porto', headcount: 40 })

    const said = (done.history as Message[]).map(({ parts }) => parts[0]?.text)
    expect(said).toEqual([
      'Find us a venue',
      'In which city, and for how many people?',
      'Porto',
      'For how many people in Porto?',
      '40',
    ])
    expect(reasonOf(await stage.ask('JSONRPC', 'SendMessage', saying('more', { taskId })))).toBe(
      'UNSUPPORTED_OPERATION',
    )
  })
})

test('a booking shows a link and goes on when somebody outside says so, never because of a message', async () => {
  await onStage({ behaviour }, async (stage) => {
    const { id: taskId, status } = await say(stage, 'HTTP+JSON', 'Book a venue in Porto for 40')
    expect(status.state).toBe('TASK_STATE_AUTH_REQUIRED')
    expect(status.message?.parts[1]).toEqual({ url: `https://leave.example/${taskId}` })

    const told = await say(stage, 'HTTP+JSON', 'my password is secret', { taskId })
    expect(told.status).toEqual(status)
    expect(told.history).toHaveLength(2)

    const live = stage.call('HTTP+JSON', 'SubscribeToTask', { id: taskId }).then(eventsOf)
    await stage.at(60)
    expect(stage.agent.authorised('another task')).toBe(false)
    expect(stage.agent.authorised(taskId)).toBe(true)
    expect(stage.agent.authorised(taskId)).toBe(false)
    expect((await live).map(wordsOf)).toEqual(['task', 'working', 'artifact booking', 'completed'])
    const done = await stage.get(taskId)
    expect(done.artifacts?.[0]?.parts[0]?.text).toBe('Old Exchange Porto is booked: Porto for 40.')
  })
})

test('a greeting gets a message and no task; its context can be gone on with', async () => {
  const { moments } = await onStage({ behaviour }, async (stage) => {
    for (const binding of ['HTTP+JSON', 'JSONRPC'] as const) {
      const { message } = resultOf<{ message: Message }>(
        await stage.ask(binding, 'SendMessage', saying('Hello!')),
      )
      expect(message).toMatchObject({ role: 'ROLE_AGENT', contextId: expect.stringMatching(/^A/) })
      expect(message).not.toHaveProperty('taskId')
      const events = await eventsOf(await stage.call(binding, 'SendStreamingMessage', saying('help')))
      expect(events.map(wordsOf)).toEqual(['message'])
      expect(await stage.ask(binding, 'GetTask', { id: message.messageId })).toHaveProperty('error')
    }
  })
  expect(moments).toEqual([])
})

test('what no house can hold is rejected at once, and fails once the work has begun', async () => {
  await onStage({ behaviour }, async (stage) => {
    const rejected = await say(stage, 'HTTP+JSON', 'a venue in Porto for 900000')
    expect(rejected.status.state).toBe('TASK_STATE_REJECTED')
    const { id: taskId } = await say(stage, 'HTTP+JSON', 'a venue in Porto')
    expect((await say(stage, 'HTTP+JSON', '900000', { taskId })).status.state).toBe('TASK_STATE_FAILED')
  })
})

test('a message to a task at work goes to its history and starts nothing; another context is refused', async () => {
  const { moments } = await onStage({ behaviour }, async (stage) => {
    const { task } = resultOf<{ task: Task }>(
      await stage.ask('HTTP+JSON', 'SendMessage', {
        ...saying('a venue in Porto for 40'),
        configuration: { returnImmediately: true },
      }),
    )
    await stage.at(5)
    const other = await say(stage, 'HTTP+JSON', 'a venue in Faro for 20')
    await expect(say(stage, 'HTTP+JSON', 'late', { taskId: task.id })).rejects.toThrow(
      'UNSUPPORTED_OPERATION',
    )
    const wrong = saying('x', { taskId: task.id, contextId: other.contextId as string })
    expect(reasonOf(await stage.ask('HTTP+JSON', 'SendMessage', wrong))).toBe('INVALID_PARAMS')
  })
  expect(moments.filter(({ terminal }) => terminal)).toHaveLength(2)
  await onStage({ behaviour }, async (stage) => {
    const begun = stage.ask('HTTP+JSON', 'SendMessage', saying('a venue in Porto for 40'))
    await stage.at(5)
    const { tasks } = resultOf<{ tasks: Task[] }>(await stage.ask('JSONRPC', 'ListTasks', {}))
    const taskId = tasks[0]?.id as string
    const heard = await say(stage, 'JSONRPC', 'by the river, please', { taskId })
    expect(heard).toEqual(resultOf<{ task: Task }>(await begun).task)
    expect(heard.history?.map(({ parts, contextId }) => [parts[0]?.text, contextId])).toEqual([
      ['a venue in Porto for 40', heard.contextId],
      ['by the river, please', heard.contextId],
    ])
    expect(stage.clock.nowUs()).toBe(10_000_000)
  })
})
