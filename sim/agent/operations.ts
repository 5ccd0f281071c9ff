/**
 * What the agent does for each operation, whatever the binding: requests as
 * JSON in, answers or an A2AError out. Each call is one synchronous step, so a
 * snapshot and what follows it cannot come apart.
 */
import type {
  AgentCard,
  Message,
  SendMessageRequest,
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
import type { StreamingSettings } from '../scenario/scenario.ts'
import type { Asks } from './asks.ts'
import { createContexts } from './contexts.ts'
import { etagOf, isHeld } from './etag.ts'
import { withHistory } from './history.ts'
import { type Hold, held } from './hold.ts'
import { listTasks } from './list-tasks.ts'
import { withHint } from './polling-hint.ts'
import { isSameScope, type Scope } from './scope.ts'
import type { DeliverySettings } from './settings.ts'
import {
  type Frame,
  missedSince,
  type Opening,
  openStream,
  type OpenStream,
  type StreamWorld,
} from './streams.ts'
import { type AgentTask, beginTask, type TaskWorld } from './tasks.ts'

/** An answer that is whole. */
export type Settled =
  | { kind: 'result'; result: object; notes?: Notes }
  /** The requester has it all already. */
  | { kind: 'not-modified'; notes: Notes }

/** What an answer says beside its content (delivery extension). */
export interface Notes {
  /** Which moment of the task it shows. Only bindings whose answers have addresses can say so. */
  etag?: string | undefined
  headers: Record<string, string>
}

export type Answer =
  | Settled
  /** A result that is not known yet. @throws A2AError if the task is deleted meanwhile */
  | { kind: 'held'; answer: Promise<Settled> }
  /** A message instead of a task: all there is to say. */
  | { kind: 'message'; message: Message }
  /** The task from now on, once it is opened with how the binding writes an event; `left` is called when it has ended. */
  | { kind: 'stream'; open: (frame: Frame, left?: () => void) => OpenStream }
  /** Done, and nothing to say. */
  | { kind: 'empty' }

/** @throws A2AError for whatever the request got wrong */
export type Perform = (operation: Operation, params: unknown, scope: Scope, asks?: Asks) => Answer

/** What the card says the agent can do. */
export interface Offers {
  settings: DeliverySettings
  /** Whether a message that comes a second time is known by its id and begins nothing (specification 3.1.1: agents may). */
  recognisesRepeats: boolean
  /** The media types a part may say it has. */
  inputModes: readonly string[]
  /** @throws A2AError if there is no other card for this caller */
  extendedCard: (scope: Scope) => AgentCard
}

export interface Operations {
  perform: Perform
  /** The task's user has given the authorisation that it waits for; false if it waits for none. */
  authorised: (taskId: string) => boolean
  /** Drops every webhook post that is not yet made. */
  forgetPosts: () => void
  /** Drops every task, its posts included. */
  forgetTasks: () => void
}

/** What operations need beside what tasks do. */
export interface OperationsWorld extends TaskWorld, StreamWorld {}

export function createOperations(world: OperationsWorld, offers: Offers): Operations {
  const { clock, ids, behaviour } = world
  const { polling, blocking, streaming, push, history } = offers.settings
  /** Tasks by the messages they had, where repeats are recognised. */
  const hadBy = offers.recognisesRepeats ? new Map<string, AgentTask>() : undefined
  const tags = polling.etag || polling.holdUs > 0
  /** In the order of their creation. */
  const tasks = new Map<string, AgentTask>()
  const contexts = createContexts()

  /** Another caller's task is as unknown as one that never was, and so is one whose time is over. */
  function taskOf(id: string, scope: Scope): AgentTask {
    const task = tasks.get(id)
    if (task?.isExpired() === true) forget(id, task)
    else if (task !== undefined && isSameScope(task.context.scope, scope)) return task
    throw new A2AError('TaskNotFoundError')
  }

  function forget(id: string, task: AgentTask): void {
    tasks.delete(id)
    task.delete()
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
    const before = hadBy?.get(message.messageId)
    if (before?.isExpired() === false && isSameScope(before.context.scope, scope)) return before
    const webhook = configuration?.taskPushNotificationConfig
    const heard =
      message.taskId === undefined
        ? beginWith(message, webhook, scope)
        : continueWith(message, taskOf(message.taskId, scope), webhook)
    if ('log' in heard) hadBy?.set(message.messageId, heard)
    return heard
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
    if (push === false) throw new A2AError('PushNotificationNotSupportedError')
  }

  function mustStream(): StreamingSettings {
    if (streaming === false) throw new A2AError('UnsupportedOperationError', 'this agent does not stream')
    return streaming
  }

  /** With as much of the history as was asked for, and as the agent returns at most. */
  const shown = (task: Task, historyLength?: number): Task =>
    withHistory(task, historyLength === undefined ? history : Math.min(historyLength, history ?? Infinity))

  /** An answer to who polls, or may begin to: the task as it is, and when to ask again. */
  function answerWith(
    { log, hintUs }: AgentTask,
    { historyLength, around }: { historyLength: number | undefined; around: (task: Task) => object },
    { ifNoneMatch }: Asks,
  ): Settled {
    const { task, headers } = withHint(shown(log.snapshot(), historyLength), hintUs(), polling.hintVia)
    const etag = tags ? etagOf(log.position()) : undefined
    if (polling.etag && etag !== undefined && isHeld(ifNoneMatch, etag))
      return { kind: 'not-modified', notes: { etag, headers } }
    return { kind: 'result', result: around(task), notes: { etag, headers } }
  }

  function streamed({ log }: AgentTask, settings: StreamingSettings, { lastEventId, gone }: Asks): Answer {
    const missed = missedSince(lastEventId, log, settings, clock.nowUs())
    if (missed === undefined && log.isOver())
      throw new A2AError('UnsupportedOperationError', 'the task is over: nothing follows, ask with GetTask')
    return {
      kind: 'stream',
      open: (frame, left) => {
        const opening: Opening =
          missed === undefined
            ? { of: 'snapshot', task: shown(log.snapshot()) }
            : { of: 'replay', events: missed }
        return openStream(log, opening, frame, settings, world, { gone, left })
      },
    }
  }

  const perform: Perform = (operation, params, scope, asks = {}) => {
    switch (operation) {
      case 'SendMessage': {
        const request = readSendMessage(params)
        const { historyLength, returnImmediately } = request.configuration ?? {}
        const task = hear(request, scope)
        if (!('log' in task)) return { kind: 'message', message: task }
        const { log } = task
        const answer = () =>
          answerWith(task, { historyLength, around: (shownTask) => ({ task: shownTask }) }, {})
        const forUs = blocking === false ? 0 : shorterOf(blocking.holdUs, asks.holdUs)
        if (returnImmediately === true || forUs === 0 || hasStopped(log.snapshot())) return answer()
        const hold: Hold = {
          who: 'SendMessage waits for the end',
          forUs,
          isEnough: (_event, snapshot) => hasStopped(snapshot),
          gone: asks.gone,
        }
        return { kind: 'held', answer: held(log, hold, world).then(answer) }
      }
      case 'SendStreamingMessage': {
        const settings = mustStream()
        const task = hear(readSendMessage(params), scope)
        return 'log' in task
          ? streamed(task, settings, { ...asks, lastEventId: undefined })
          : { kind: 'message', message: task }
      }
      case 'GetTask': {
        const { id, historyLength } = readGetTask(params)
        const task = taskOf(id, scope)
        task.polled()
        const { log } = task
        const answer = () => answerWith(task, { historyLength, around: (shownTask) => shownTask }, asks)
        const hasNews = asks.ifNoneMatch !== undefined && !isHeld(asks.ifNoneMatch, etagOf(log.position()))
        const forUs = asks.holdUs === undefined ? 0 : Math.min(asks.holdUs, polling.holdUs)
        if (forUs === 0 || hasNews || log.isOver()) return answer()
        const hold: Hold = { who: 'GetTask waits for news', forUs, isEnough: () => true, gone: asks.gone }
        return { kind: 'held', answer: held(log, hold, world).then(answer) }
      }
      case 'ListTasks': {
        const listed = [...tasks.values()]
          .filter((task) => !task.isExpired())
          .map(({ log, context }, serial) => ({ task: shown(log.snapshot()), scope: context.scope, serial }))
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
        return { kind: 'result', result: shown(task.log.snapshot()) }
      }
      case 'SubscribeToTask': {
        const settings = mustStream()
        return streamed(taskOf(readTaskId(params, 'id'), scope), settings, asks)
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

  return {
    perform,
    authorised(taskId) {
      const task = tasks.get(taskId)
      return task !== undefined && !task.isExpired() && task.authorised()
    },
    forgetPosts() {
      for (const { pushConfigs } of tasks.values()) pushConfigs.forgetPosts()
    },
    forgetTasks() {
      hadBy?.clear()
      for (const [id, task] of tasks) forget(id, task)
    },
  }
}

/** Whether nothing more happens to a task until somebody does something (specification 3.2.2). */
const hasStopped = ({ status: { state } }: Task): boolean => isTerminal(state) || isInterrupted(state)

/** Of two limits, either of which may be none. */
const shorterOf = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || b === undefined ? (a ?? b) : Math.min(a, b)
