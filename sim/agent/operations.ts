/**
 * What the agent does for each operation, whatever the binding: requests as
 * JSON in, answers or an A2AError out. Each call is one synchronous step, so a
 * snapshot and what follows it cannot come apart.
 */
import type { Clock } from '../kernel/clock.ts'
import type {
  AgentCard,
  Message,
  SendMessageRequest,
  StreamResponse,
  Task,
  TaskPushNotificationConfig,
} from '../protocol/a2a.ts'
import { A2AError, invalidParams } from '../protocol/errors.ts'
import type { Operation } from '../protocol/operation.ts'
import {
  readCancelTask,
  readGetTask,
  readListTasks,
  readPushConfig,
  readPushConfigReference,
  readSendMessage,
  readTaskId,
} from '../protocol/requests.ts'
import { isInterrupted, isTerminal, wordOfState } from '../protocol/states.ts'
import { createContexts } from './contexts.ts'
import { withHistory } from './history.ts'
import { listTasks } from './list-tasks.ts'
import { isSameScope, type Scope } from './scope.ts'
import { type StreamSettings, streamOf } from './streams.ts'
import type { TaskLog } from './task-log.ts'
import { type AgentTask, beginTask, type TaskWorld } from './tasks.ts'

export type Answer =
  /** A result that will never change. */
  | { kind: 'result'; result: object }
  /** A result that is not known yet: a send that waits. */
  | { kind: 'held'; result: Promise<object> }
  /** A message instead of a task: all there is to say. */
  | { kind: 'message'; message: Message }
  /** The task from now on, once it is opened with how the binding writes an event. */
  | { kind: 'stream'; open: (frame: (event: StreamResponse) => string) => ReadableStream<Uint8Array> }
  /** Done, and nothing to say. */
  | { kind: 'empty' }

/** @throws A2AError for whatever the request got wrong */
export type Perform = (operation: Operation, params: unknown, scope: Scope) => Answer

/** What the card says the agent can do. */
export interface Offers {
  streaming: StreamSettings | false
  push: boolean
  /** The media types a part may say it has. */
  inputModes: readonly string[]
  /** @throws A2AError if there is no other card for this caller */
  extendedCard: (scope: Scope) => AgentCard
}

export interface Operations {
  perform: Perform
  /** The task's user has given the authorisation that it waits for; false if it waits for none. */
  authorised: (taskId: string) => boolean
}

export function createOperations(world: TaskWorld, offers: Offers): Operations {
  const { clock, ids, behaviour } = world
  /** In the order of their creation. */
  const tasks = new Map<string, AgentTask>()
  const contexts = createContexts()

  /** Another caller's task is as unknown as one that never was. */
  function taskOf(id: string, scope: Scope): AgentTask {
    const task = tasks.get(id)
    if (task === undefined || !isSameScope(task.context.scope, scope)) throw new A2AError('TaskNotFoundError')
    return task
  }

  function mustRead({ parts }: Message): void {
    for (const { mediaType } of parts) {
      const type = mediaType?.split(';', 1)[0]?.trim().toLowerCase()
      if (type === undefined || offers.inputModes.includes(type)) continue
      const modes = offers.inputModes.join(', ')
      throw new A2AError('ContentTypeNotSupportedError', `this agent reads ${modes}, not ${mediaType}`)
    }
  }

  /** The task a message begins or goes to, or a message in reply. */
  function hear({ message, configuration }: SendMessageRequest, scope: Scope): AgentTask | Message {
    mustRead(message)
    const webhook = configuration?.taskPushNotificationConfig
    return message.taskId === undefined
      ? beginWith(message, webhook, scope)
      : continueWith(message, taskOf(message.taskId, scope), webhook)
  }

  function beginWith(
    message: Message,
    webhook: TaskPushNotificationConfig | undefined,
    scope: Scope,
  ): AgentTask | Message {
    const known = message.contextId === undefined ? undefined : contexts.find(message.contextId, scope)
    if (webhook !== undefined) mustPush()
    const id = ids()
    const plan = behaviour({ message, known: known?.known ?? {}, taskId: id })
    const context = known ?? contexts.begin(ids(), scope)
    if (plan.kind === 'reply')
      return { messageId: id, contextId: context.id, role: 'ROLE_AGENT', parts: plan.parts }
    const task = beginTask(world, { taskId: id, context, message, work: plan, webhook })
    tasks.set(id, task)
    return task
  }

  function continueWith(
    message: Message,
    task: AgentTask,
    webhook: TaskPushNotificationConfig | undefined,
  ): AgentTask {
    if (message.contextId !== undefined && message.contextId !== task.context.id)
      throw invalidParams('message.contextId', 'must be the context of message.taskId, or be left out')
    if (task.log.isOver())
      throw new A2AError('UnsupportedOperationError', 'the task is over: send a new message in its context')
    if (webhook !== undefined) {
      mustPush()
      task.pushConfigs.create(webhook)
    }
    task.hear(message)
    return task
  }

  function mustPush(): void {
    if (!offers.push) throw new A2AError('PushNotificationNotSupportedError')
  }

  function mustStream(): StreamSettings {
    if (offers.streaming === false)
      throw new A2AError('UnsupportedOperationError', 'this agent does not stream')
    return offers.streaming
  }

  const streamed = (log: TaskLog, settings: StreamSettings): Answer => ({
    kind: 'stream',
    open: (frame) => streamOf(log, frame, settings, clock),
  })

  const perform: Perform = (operation, params, scope) => {
    switch (operation) {
      case 'SendMessage': {
        const request = readSendMessage(params)
        const { historyLength, returnImmediately } = request.configuration ?? {}
        const answer = hear(request, scope)
        if (!('log' in answer)) return { kind: 'message', message: answer }
        const { log } = answer
        const reply = (task: Task) => ({ task: withHistory(task, historyLength) })
        return returnImmediately === true || hasStopped(log.snapshot())
          ? { kind: 'result', result: reply(log.snapshot()) }
          : { kind: 'held', result: untilItStops(log, clock).then(reply) }
      }
      case 'SendStreamingMessage': {
        const settings = mustStream()
        const answer = hear(readSendMessage(params), scope)
        return 'log' in answer ? streamed(answer.log, settings) : { kind: 'message', message: answer }
      }
      case 'GetTask': {
        const { id, historyLength } = readGetTask(params)
        return { kind: 'result', result: withHistory(taskOf(id, scope).log.snapshot(), historyLength) }
      }
      case 'ListTasks': {
        const listed = [...tasks.values()]
          .map(({ log, context }, serial) => ({ task: log.snapshot(), scope: context.scope, serial }))
          .filter((task) => isSameScope(task.scope, scope))
        return { kind: 'result', result: listTasks(listed, readListTasks(params)) }
      }
      case 'CancelTask': {
        const task = taskOf(readCancelTask(params).id, scope)
        const { state } = task.log.snapshot().status
        // Canceling twice is canceling once (specification 3.3.1), though 3.1.5 counts it among the errors.
        if (state !== 'TASK_STATE_CANCELED') {
          if (isTerminal(state))
            throw new A2AError('TaskNotCancelableError', `the task is over: ${wordOfState(state)}`)
          task.cancel()
        }
        return { kind: 'result', result: task.log.snapshot() }
      }
      case 'SubscribeToTask': {
        const settings = mustStream()
        const { log } = taskOf(readTaskId(params, 'id'), scope)
        if (log.isOver())
          throw new A2AError(
            'UnsupportedOperationError',
            'the task is over: nothing follows, ask with GetTask',
          )
        return streamed(log, settings)
      }
      case 'CreateTaskPushNotificationConfig': {
        mustPush()
        const config = readPushConfig(params)
        return { kind: 'result', result: taskOf(config.taskId, scope).pushConfigs.create(config) }
      }
      case 'GetTaskPushNotificationConfig': {
        mustPush()
        const { taskId, id } = readPushConfigReference(params)
        return { kind: 'result', result: taskOf(taskId, scope).pushConfigs.get(id) }
      }
      case 'ListTaskPushNotificationConfigs': {
        mustPush()
        const configs = taskOf(readTaskId(params, 'taskId'), scope).pushConfigs.list()
        return { kind: 'result', result: { configs, nextPageToken: '' } }
      }
      case 'DeleteTaskPushNotificationConfig': {
        mustPush()
        const { taskId, id } = readPushConfigReference(params)
        taskOf(taskId, scope).pushConfigs.remove(id)
        return { kind: 'empty' }
      }
      case 'GetExtendedAgentCard':
        return { kind: 'result', result: offers.extendedCard(scope) }
    }
  }

  return { perform, authorised: (taskId) => tasks.get(taskId)?.authorised() ?? false }
}

/** Whether nothing more happens to a task until somebody does something (specification 3.2.2). */
const hasStopped = ({ status: { state } }: Task): boolean => isTerminal(state) || isInterrupted(state)

/** The task once it has stopped. */
function untilItStops(log: TaskLog, clock: Clock): Promise<Task> {
  const done = clock.waiting(`SendMessage waits for the end of task ${log.taskId}`)
  return new Promise((resolve) => {
    const unfollow = log.follow((_event, snapshot) => {
      if (!hasStopped(snapshot)) return
      unfollow()
      done()
      resolve(snapshot)
    })
  })
}
