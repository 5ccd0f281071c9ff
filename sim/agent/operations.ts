/**
 * What the agent does for each operation, whatever the binding: requests as
 * JSON in, answers or an A2AError out. Each call is one synchronous step, so a
 * snapshot and what follows it cannot come apart.
 */
import type { Clock } from '../kernel/clock.ts'
import type { Message, SendMessageRequest, Task } from '../protocol/a2a.ts'
import { A2AError, invalidParams } from '../protocol/errors.ts'
import type { Operation } from '../protocol/operation.ts'
import {
  readGetTask,
  readPushConfig,
  readPushConfigReference,
  readSendMessage,
  readTaskId,
} from '../protocol/requests.ts'
import { isInterrupted, isTerminal } from '../protocol/states.ts'
import { withHistory } from './history.ts'
import type { Scope } from './scope.ts'
import type { TaskLog } from './task-log.ts'
import { type AgentTask, beginTask, type TaskWorld } from './tasks.ts'

export type Answer =
  /** A result that will never change. */
  | { kind: 'result'; result: object }
  /** A result that is not known yet: a send that waits. */
  | { kind: 'held'; result: Promise<object> }
  /** A message instead of a task: all there is to say. */
  | { kind: 'message'; message: Message }
  /** The task from now on. */
  | { kind: 'stream'; log: TaskLog }
  /** Done, and nothing to say. */
  | { kind: 'empty' }

/** @throws A2AError for whatever the request got wrong */
export type Perform = (operation: Operation, params: unknown, scope: Scope) => Answer

export function createOperations(world: TaskWorld, offers: { streaming: boolean; push: boolean }): Perform {
  const tasks = new Map<string, AgentTask>()
  const contexts = new Set<string>()

  function taskOf(id: string): AgentTask {
    const task = tasks.get(id)
    if (task === undefined) throw new A2AError('TaskNotFoundError')
    return task
  }

  function begin({ message, configuration }: SendMessageRequest): AgentTask {
    if (message.taskId !== undefined) {
      const { log } = taskOf(message.taskId)
      throw new A2AError(
        'UnsupportedOperationError',
        log.isOver() ? 'the task is over: send a new message' : 'this agent takes one message per task',
      )
    }
    if (message.contextId !== undefined && !contexts.has(message.contextId))
      throw invalidParams('message.contextId', 'must be a context this agent began')
    const webhook = configuration?.taskPushNotificationConfig
    if (webhook !== undefined) mustOffer('push')
    const task = beginTask(world, message, webhook)
    tasks.set(task.log.taskId, task)
    contexts.add(task.log.contextId)
    return task
  }

  function mustOffer(feature: 'streaming' | 'push'): void {
    if (offers[feature]) return
    throw feature === 'push'
      ? new A2AError('PushNotificationNotSupportedError')
      : new A2AError('UnsupportedOperationError', 'this agent does not stream')
  }

  return (operation, params) => {
    switch (operation) {
      case 'SendMessage': {
        const request = readSendMessage(params)
        const { historyLength, returnImmediately } = request.configuration ?? {}
        const { log } = begin(request)
        const reply = (task: Task) => ({ task: withHistory(task, historyLength) })
        return returnImmediately === true
          ? { kind: 'result', result: reply(log.snapshot()) }
          : { kind: 'held', result: untilItStops(log, world.clock).then(reply) }
      }
      case 'SendStreamingMessage': {
        mustOffer('streaming')
        return { kind: 'stream', log: begin(readSendMessage(params)).log }
      }
      case 'GetTask': {
        const { id, historyLength } = readGetTask(params)
        return { kind: 'result', result: withHistory(taskOf(id).log.snapshot(), historyLength) }
      }
      case 'SubscribeToTask': {
        mustOffer('streaming')
        const { log } = taskOf(readTaskId(params, 'id'))
        if (log.isOver())
          throw new A2AError(
            'UnsupportedOperationError',
            'the task is over: nothing follows, ask with GetTask',
          )
        return { kind: 'stream', log }
      }
      case 'CreateTaskPushNotificationConfig': {
        mustOffer('push')
        const config = readPushConfig(params)
        return { kind: 'result', result: taskOf(config.taskId).pushConfigs.create(config) }
      }
      case 'GetTaskPushNotificationConfig': {
        mustOffer('push')
        const { taskId, id } = readPushConfigReference(params)
        return { kind: 'result', result: taskOf(taskId).pushConfigs.get(id) }
      }
      case 'ListTaskPushNotificationConfigs': {
        mustOffer('push')
        const configs = taskOf(readTaskId(params, 'taskId')).pushConfigs.list()
        return { kind: 'result', result: { configs, nextPageToken: '' } }
      }
      case 'DeleteTaskPushNotificationConfig': {
        mustOffer('push')
        const { taskId, id } = readPushConfigReference(params)
        taskOf(taskId).pushConfigs.remove(id)
        return { kind: 'empty' }
      }
      case 'ListTasks':
      case 'CancelTask':
      case 'GetExtendedAgentCard':
        throw new A2AError('UnsupportedOperationError', `this agent does not offer ${operation}`)
    }
  }
}

/** The task once it is over or waits for somebody (specification 3.2.2). */
function untilItStops(log: TaskLog, clock: Clock): Promise<Task> {
  const done = clock.waiting(`SendMessage waits for the end of task ${log.taskId}`)
  return new Promise((resolve) => {
    const unfollow = log.follow((_event, snapshot) => {
      const { state } = snapshot.status
      if (!isTerminal(state) && !isInterrupted(state)) return
      unfollow()
      done()
      resolve(snapshot)
    })
  })
}
