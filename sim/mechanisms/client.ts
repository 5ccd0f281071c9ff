/** A client of A2A as mechanisms use it, whoever wrote it. a2a-client.ts makes one of the official SDK. */
import type { Message, SendMessageConfiguration, TaskPushNotificationConfig } from '../protocol/a2a.ts'
import type { TaskView, ViewChange } from '../protocol/view.ts'
import { ClientError, type BegunTask } from './mechanism.ts'

/** A task as a reply shows it. */
export interface SeenTask extends BegunTask {
  view: TaskView
  /** The exchange that brought it. */
  exchange: number | undefined
  says: ServerWords
}

/** What an answer says beside its content. */
export interface ServerWords {
  /** The wait the agent suggests, by metadata or header (extension). */
  hintUs: number | undefined
  retryAfterUs: number | undefined
  etag: string | undefined
}

export type GetAnswer = { of: 'task'; task: SeenTask } | { of: 'not-modified'; says: ServerWords }

export interface SendOptions {
  /** Asks the agent to hold the reply until the task is over or asks, at most so long (extension). */
  holdUs?: number | undefined
  /** Breaks the call off after so long, by the client's clock. */
  timeoutUs?: number | undefined
}

export interface GetOptions {
  /** If-None-Match (extension). */
  etag?: string | undefined
  /** Asks for an answer only when something changes, at most so long (extension). */
  holdUs?: number | undefined
  /** Breaks the call off after so long, by the client's clock. */
  timeoutUs?: number | undefined
}

/** One event of a stream. */
export interface StreamedChange {
  change: ViewChange
  /** Known from the first event on, which is the task. */
  task: BegunTask
  exchange: number | undefined
  /** The SSE id of the event, where the agent replays (extension). */
  eventId: string | undefined
}

export interface StreamOptions {
  /** Hears of every octet, comments included, and of an SSE `retry:`: what a watchdog needs. */
  onSign?: (sign: { retryUs: number | undefined }) => void
  /** Breaks the stream off. */
  signal?: AbortSignal
  /** How long it may take to open. */
  timeoutUs?: number | undefined
}

/**
 * Every member throws a CallError for what the official client throws, and the
 * signal's own reason once the client's signal or the stream's has aborted.
 * Calls may overlap.
 */
export interface A2AClient {
  /** The same client with another signal in place of its own. */
  until(signal: AbortSignal): A2AClient
  /** SendMessage. @throws CallError if the agent answers with a bare message: a job needs a task */
  send(configuration: SendMessageConfiguration, options?: SendOptions): Promise<SeenTask>
  /** SendMessage on a task that asks; the reply comes at once unless `wait` says to what end. */
  answer(task: BegunTask, message: Message, wait?: SendOptions): Promise<SeenTask>
  /** GetTask, all of it, history included, as the client asks by default. */
  get(taskId: string, options?: GetOptions): Promise<GetAnswer>
  /** SendStreamingMessage: what each event changes, until the agent or the caller ends the stream. */
  stream(
    configuration: SendMessageConfiguration,
    options?: StreamOptions,
  ): AsyncGenerator<StreamedChange, void, undefined>
  /** SendStreamingMessage on a task that asks. */
  answerStreaming(
    task: BegunTask,
    message: Message,
    options?: StreamOptions,
  ): AsyncGenerator<StreamedChange, void, undefined>
  /** SubscribeToTask. */
  subscribe(
    taskId: string,
    options?: StreamOptions & { lastEventId?: string | undefined },
  ): AsyncGenerator<StreamedChange, void, undefined>
  /** CreateTaskPushNotificationConfig. */
  register(taskId: string, config: TaskPushNotificationConfig): Promise<void>
}

/** What went wrong with a call, as far as a client can decide by it. */
export type CallFailure =
  /** 429. */
  | { of: 'throttled'; retryAfterUs: number | undefined }
  /** The agent says that polls come too fast (RFC 8628, extension). */
  | { of: 'slow-down'; retryAfterUs: number | undefined }
  /** There is no such task (any more). */
  | { of: 'gone' }
  /** Another error answer: 5xx, or a refusal that trying again will not change. The status is HTTP's, over JSON-RPC that of the same error over HTTP+JSON. */
  | { of: 'answer'; status: number; retryAfterUs: number | undefined }
  /** No answer: refused, reset, cut, name not found. `neverSent`: the agent certainly did not act on it. */
  | { of: 'connection'; neverSent?: true }
  | { of: 'timeout' }

export class CallError extends ClientError {
  readonly failure: CallFailure

  constructor(message: string, failure: CallFailure, options?: ErrorOptions) {
    super(message, options)
    this.failure = failure
  }
}
