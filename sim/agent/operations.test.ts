/** Who may see what: another caller's things look exactly as if they did not exist. */
import { expect, test } from 'vitest'
import { randomStream } from '../kernel/random.ts'
import { inVirtualTime } from '../kernel/virtual-time.ts'
import type { PushSending } from '../policies/policy.ts'
import type { Task } from '../protocol/a2a.ts'
import { A2AError } from '../protocol/errors.ts'
import type { Operation } from '../protocol/operation.ts'
import { createJournal } from '../records/journal.ts'
import { MESSAGE } from '../testing/agent-stage.ts'
import { createActivity } from './activity.ts'
import { createAgenda } from './agenda.ts'
import { venueFinder } from './behaviours/venue-finder.ts'
import { createOpenAnswers } from './open-answers.ts'
import { createOperations, type Operations } from './operations.ts'
import type { Scope } from './scope.ts'
import { settingsWith } from './settings.ts'

const OWNER: Scope = { owner: 'alice', tenant: '' }
const STRANGERS: [string, Scope][] = [
  ['another caller', { owner: 'bob', tenant: '' }],
  ['the same caller for another tenant', { owner: 'alice', tenant: 'acme' }],
]

async function withOperations(scene: (operations: Operations) => void): Promise<void> {
  await inVirtualTime({ horizonUs: 1_000_000 }, (clock) => {
    let drawn = 0
    const settings = settingsWith()
    const world = {
      clock,
      behaviour: venueFinder({ authoriseAt: (id) => `https://leave.example/${id}` }),
      ids: () => `id${++drawn}`,
      journal: createJournal(),
      agenda: createAgenda(clock),
      openAnswers: createOpenAnswers(),
      activity: createActivity(),
      lifetimes: randomStream(1, 'none'),
      onMoment: () => {},
      settings,
    }
    const post = {
      ...world,
      fetch: () => Promise.reject(new TypeError('nobody is there')),
      sending: settings.push as PushSending,
      retryChance: randomStream(1, 'none'),
    }
    const offers = { settings, recognisesRepeats: false, inputModes: ['text/plain'], extendedCard: never }
    scene(createOperations({ ...world, posts: post }, offers))
    return Promise.resolve()
  })
}

function never(): never {
  throw new Error('not asked for here')
}

/** What a request gives: a result, or all that its error says. */
function outcomeOf({ perform }: Operations, operation: Operation, params: object, scope: Scope): unknown {
  try {
    const answer = perform(operation, params, scope)
    return answer.kind === 'result' ? answer.result : answer.kind
  } catch (error) {
    if (!(error instanceof A2AError)) throw error
    return { name: error.name, message: error.message, violations: error.violations }
  }
}

const saying = (text: string, where = {}) => ({
  message: { ...MESSAGE, parts: [{ text }], ...where },
  configuration: { returnImmediately: true },
})

test.each(STRANGERS)('%s finds no more than where nothing is', async (_, stranger) => {
  await withOperations((operations) => {
    const asOwner = (operation: Operation, params: object) => outcomeOf(operations, operation, params, OWNER)
    const asStranger = (operation: Operation, params: object) =>
      outcomeOf(operations, operation, params, stranger)
    const { task } = asOwner('SendMessage', saying('a venue in Porto for 40')) as { task: Task }
    const { id, contextId } = task
    asOwner('CreateTaskPushNotificationConfig', { taskId: id, id: 'mine', url: 'https://client.example/' })

    const attempts: [Operation, (id: string, contextId: string) => object][] = [
      ['GetTask', (id) => ({ id })],
      ['CancelTask', (id) => ({ id })],
      ['SubscribeToTask', (id) => ({ id })],
      ['SendMessage', (taskId) => saying('hear me', { taskId })],
      ['SendStreamingMessage', (taskId) => saying('hear me', { taskId })],
      ['SendMessage', (_id, contextId) => saying('same again', { contextId })],
      ['SendStreamingMessage', (_id, contextId) => saying('same again', { contextId })],
      ['CreateTaskPushNotificationConfig', (taskId) => ({ taskId, url: 'https://client.example/' })],
      ['GetTaskPushNotificationConfig', (taskId) => ({ taskId, id: 'mine' })],
      ['ListTaskPushNotificationConfigs', (taskId) => ({ taskId })],
      ['DeleteTaskPushNotificationConfig', (taskId) => ({ taskId, id: 'mine' })],
      ['ListTasks', (_id, contextId) => ({ contextId })],
    ]
    for (const [operation, params] of attempts) {
      const foreign = asStranger(operation, params(id, contextId as string))
      expect(foreign, operation).toEqual(asStranger(operation, params('none', 'none')))
      expect(foreign, operation).not.toEqual(asOwner(operation, params(id, contextId as string)))
    }
    expect(asStranger('ListTasks', {})).toMatchObject({ tasks: [], totalSize: 0 })
    expect(asOwner('ListTasks', {})).toMatchObject({ totalSize: 3 })
  })
})
