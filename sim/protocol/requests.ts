/**
 * From JSON that came off the wire to the requests of A2A. Members nobody
 * knows are dropped (specification 5.7), members of the wrong type and missing
 * required ones are InvalidParamsError, naming the member.
 */
import type {
  AuthenticationInfo,
  Message,
  Part,
  SendMessageConfiguration,
  SendMessageRequest,
  TaskPushNotificationConfig,
  TaskState,
} from './a2a.ts'
import { invalidParams } from './errors.ts'
import { isObject } from './json-text.ts'
import { STATE_WORDS, WIRE_STATE } from './states.ts'

type Json = Record<string, unknown>

/** @throws A2AError InvalidParamsError */
export function readSendMessage(params: unknown): SendMessageRequest {
  const given = objectOf(params, 'params')
  return withoutUndefined({
    message: readMessage(given['message'], 'message'),
    configuration: optional(given, 'configuration', (value) => readConfiguration(value, 'configuration')),
  })
}

export interface GetTaskRequest {
  id: string
  /** At most so many messages of the history; `undefined`: all of them. */
  historyLength?: number
}

/** @throws A2AError InvalidParamsError */
export function readGetTask(params: unknown): GetTaskRequest {
  const given = objectOf(params, 'params')
  return withoutUndefined({
    id: textOf(given['id'], 'id'),
    historyLength: optional(given, 'historyLength', (value) => countOf(value, 'historyLength')),
  })
}

export interface ListTasksRequest {
  contextId?: string
  status?: TaskState
  /** From 1 to 100. */
  pageSize: number
  pageToken?: string
  historyLength?: number
  /** ISO 8601 in UTC with `Z`, with up to nine decimals or none; that very instant is meant, too. */
  statusTimestampAfter?: string
  includeArtifacts: boolean
}

const PAGE_SIZE = { min: 1, max: 100, unsaid: 50 }

/** @throws A2AError InvalidParamsError */
export function readListTasks(params: unknown): ListTasksRequest {
  const given = objectOf(params, 'params')
  return withoutUndefined({
    contextId: optional(given, 'contextId', (id) => textOf(id, 'contextId')),
    status: optional(given, 'status', (status) => stateOf(status, 'status')),
    pageSize: optional(given, 'pageSize', pageSizeOf) ?? PAGE_SIZE.unsaid,
    pageToken: optional(given, 'pageToken', (token) => textOf(token, 'pageToken')),
    historyLength: optional(given, 'historyLength', (length) => countOf(length, 'historyLength')),
    statusTimestampAfter: optional(given, 'statusTimestampAfter', (timestamp) =>
      timestampOf(timestamp, 'statusTimestampAfter'),
    ),
    includeArtifacts:
      optional(given, 'includeArtifacts', (flag) => booleanOf(flag, 'includeArtifacts')) ?? false,
  })
}

function pageSizeOf(value: unknown): number {
  const { min, max } = PAGE_SIZE
  if (!Number.isInteger(value) || (value as number) < min || (value as number) > max)
    throw invalidParams('pageSize', `must be a whole number from ${min} to ${max}`)
  return value as number
}

/** A state to filter by; `undefined` for the one that stands for none. */
function stateOf(value: unknown, at: string): TaskState | undefined {
  if (value === 'TASK_STATE_UNSPECIFIED') return undefined
  const state = STATE_WORDS.map((word) => WIRE_STATE[word]).find((one) => one === value)
  if (state === undefined) throw invalidParams(at, 'must be the name of a state, such as TASK_STATE_WORKING')
  return state
}

function timestampOf(value: unknown, at: string): string {
  const isTimestamp =
    typeof value === 'string' &&
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/.test(value) &&
    !Number.isNaN(Date.parse(value))
  if (!isTimestamp) throw invalidParams(at, 'must be an instant in UTC, such as 2026-01-01T00:00:00.000Z')
  return value
}

export interface CancelTaskRequest {
  id: string
  metadata?: Record<string, unknown>
}

/** @throws A2AError InvalidParamsError */
export function readCancelTask(params: unknown): CancelTaskRequest {
  const given = objectOf(params, 'params')
  return withoutUndefined({
    id: textOf(given['id'], 'id'),
    metadata: optional(given, 'metadata', (metadata) => objectOf(metadata, 'metadata')),
  })
}

/** The id of the task meant by a request that needs nothing else. @throws A2AError InvalidParamsError */
export const readTaskId = (params: unknown, member: 'id' | 'taskId'): string =>
  textOf(objectOf(params, 'params')[member], member)

export interface PushConfigReference {
  taskId: string
  id: string
}

/** @throws A2AError InvalidParamsError */
export function readPushConfigReference(params: unknown): PushConfigReference {
  const given = objectOf(params, 'params')
  return { taskId: textOf(given['taskId'], 'taskId'), id: textOf(given['id'], 'id') }
}

/** A webhook for a task that exists. @throws A2AError InvalidParamsError */
export function readPushConfig(params: unknown): TaskPushNotificationConfig & { taskId: string } {
  const taskId = readTaskId(params, 'taskId')
  return { ...readWebhook(params, 'params'), taskId }
}

function readConfiguration(value: unknown, at: string): SendMessageConfiguration {
  const given = objectOf(value, at)
  return withoutUndefined({
    acceptedOutputModes: optional(given, 'acceptedOutputModes', (modes) =>
      arrayOf(modes, `${at}.acceptedOutputModes`).map((mode) => textOf(mode, `${at}.acceptedOutputModes`)),
    ),
    taskPushNotificationConfig: optional(given, 'taskPushNotificationConfig', (config) =>
      readWebhook(config, `${at}.taskPushNotificationConfig`),
    ),
    historyLength: optional(given, 'historyLength', (length) => countOf(length, `${at}.historyLength`)),
    returnImmediately: optional(given, 'returnImmediately', (flag) =>
      booleanOf(flag, `${at}.returnImmediately`),
    ),
  })
}

function readWebhook(value: unknown, at: string): TaskPushNotificationConfig {
  const given = objectOf(value, at)
  const url = textOf(given['url'], `${at}.url`)
  if (!/^https?:$/.test(protocolOf(url))) throw invalidParams(`${at}.url`, 'must be an http or https address')
  return withoutUndefined({
    id: optional(given, 'id', (id) => textOf(id, `${at}.id`)),
    url,
    token: optional(given, 'token', (token) => textOf(token, `${at}.token`)),
    authentication: optional(given, 'authentication', (value) => {
      const authentication = objectOf(value, `${at}.authentication`)
      return withoutUndefined<AuthenticationInfo>({
        scheme: textOf(authentication['scheme'], `${at}.authentication.scheme`),
        credentials: optional(authentication, 'credentials', (credentials) =>
          textOf(credentials, `${at}.authentication.credentials`),
        ),
      })
    }),
  })
}

function protocolOf(url: string): string {
  return URL.canParse(url) ? new URL(url).protocol : ''
}

function readMessage(value: unknown, at: string): Message {
  const given = objectOf(value, at)
  const role = given['role']
  if (role !== 'ROLE_USER') throw invalidParams(`${at}.role`, 'must be ROLE_USER in a message to an agent')
  const parts = arrayOf(given['parts'], `${at}.parts`)
  if (parts.length === 0) throw invalidParams(`${at}.parts`, 'must hold at least one part')
  return withoutUndefined({
    messageId: textOf(given['messageId'], `${at}.messageId`),
    contextId: optional(given, 'contextId', (id) => textOf(id, `${at}.contextId`)),
    taskId: optional(given, 'taskId', (id) => textOf(id, `${at}.taskId`)),
    role,
    parts: parts.map((part, index) => readPart(part, `${at}.parts[${index}]`)),
    metadata: optional(given, 'metadata', (metadata) => objectOf(metadata, `${at}.metadata`)),
    extensions: optional(given, 'extensions', (uris) =>
      arrayOf(uris, `${at}.extensions`).map((uri) => textOf(uri, `${at}.extensions`)),
    ),
    referenceTaskIds: optional(given, 'referenceTaskIds', (ids) =>
      arrayOf(ids, `${at}.referenceTaskIds`).map((id) => textOf(id, `${at}.referenceTaskIds`)),
    ),
  })
}

/** The members of which a part has exactly one; `data` may be any JSON value, null included. */
const PART_KINDS = ['text', 'raw', 'url', 'data'] as const

function readPart(value: unknown, at: string): Part {
  const given = objectOf(value, at)
  const kinds = PART_KINDS.filter((kind) => given[kind] !== undefined)
  const [kind] = kinds
  if (kind === undefined || kinds.length > 1)
    throw invalidParams(at, `must have exactly one of ${PART_KINDS.join(', ')}`)
  if (kind !== 'data' && typeof given[kind] !== 'string')
    throw invalidParams(`${at}.${kind}`, 'must be a string')
  return withoutUndefined<Part>({
    [kind]: given[kind],
    metadata: optional(given, 'metadata', (metadata) => objectOf(metadata, `${at}.metadata`)),
    filename: optional(given, 'filename', (name) => textOf(name, `${at}.filename`)),
    mediaType: optional(given, 'mediaType', (type) => textOf(type, `${at}.mediaType`)),
  })
}

/** ProtoJSON writes a member left at its default as nothing, null or the empty string: all mean absent. */
function optional<T>(given: Json, member: string, read: (value: unknown) => T): T | undefined {
  const value = given[member]
  return value === undefined || value === null || value === '' ? undefined : read(value)
}

function objectOf(value: unknown, at: string): Json {
  if (!isObject(value)) throw invalidParams(at, 'must be an object')
  return value
}

function arrayOf(value: unknown, at: string): unknown[] {
  if (!Array.isArray(value)) throw invalidParams(at, 'must be an array')
  return value
}

function textOf(value: unknown, at: string): string {
  if (typeof value !== 'string' || value === '') throw invalidParams(at, 'must be a string that is not empty')
  return value
}

function booleanOf(value: unknown, at: string): boolean {
  if (typeof value !== 'boolean') throw invalidParams(at, 'must be true or false')
  return value
}

function countOf(value: unknown, at: string): number {
  if (!Number.isSafeInteger(value) || (value as number) < 0)
    throw invalidParams(at, 'must be a whole number and not negative')
  return value as number
}

/** `value` without the members that are `undefined`, so that optional members are absent rather than empty. */
function withoutUndefined<T extends object>(value: { [K in keyof T]: T[K] | undefined }): T {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as T
}
