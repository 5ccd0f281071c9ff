/**
 * The errors of A2A v1.0 as data. Source: specification 3.3.2, 5.4, 9.5, 10.6
 * and 11.6 as of v1.0.1. Most of the nine share HTTP status 400, so only the
 * reason (HTTP+JSON) or the code (JSON-RPC) tells them apart.
 */
import { SLOW_DOWN_CODE, SLOW_DOWN_REASON } from './delivery-extension.ts'
import { isObject } from './json-text.ts'

export interface ErrorKind {
  /** The `code` of a JSON-RPC error. */
  code: number
  /** The canonical gRPC status, which HTTP+JSON repeats as `error.status`. */
  status: string
  httpStatus: number
  /** `reason` of the google.rpc.ErrorInfo that travels with the error. */
  reason: string
  /** What to say when there is nothing more exact to say. */
  message: string
}

/** The nine errors of A2A itself and the five of JSON-RPC. The HTTP side of the latter five is our choice. */
export const ERRORS = {
  TaskNotFoundError: {
    code: -32001,
    status: 'NOT_FOUND',
    httpStatus: 404,
    reason: 'TASK_NOT_FOUND',
    message: 'Task not found',
  },
  TaskNotCancelableError: {
    code: -32002,
    status: 'FAILED_PRECONDITION',
    httpStatus: 400,
    reason: 'TASK_NOT_CANCELABLE',
    message: 'Task cannot be canceled',
  },
  PushNotificationNotSupportedError: {
    code: -32003,
    status: 'FAILED_PRECONDITION',
    httpStatus: 400,
    reason: 'PUSH_NOTIFICATION_NOT_SUPPORTED',
    message: 'Push notifications are not supported',
  },
  UnsupportedOperationError: {
    code: -32004,
    status: 'FAILED_PRECONDITION',
    httpStatus: 400,
    reason: 'UNSUPPORTED_OPERATION',
    message: 'This operation is not supported',
  },
  ContentTypeNotSupportedError: {
    code: -32005,
    status: 'INVALID_ARGUMENT',
    httpStatus: 400,
    reason: 'CONTENT_TYPE_NOT_SUPPORTED',
    message: 'Content type not supported',
  },
  InvalidAgentResponseError: {
    code: -32006,
    status: 'INTERNAL',
    httpStatus: 500,
    reason: 'INVALID_AGENT_RESPONSE',
    message: 'Invalid agent response',
  },
  ExtendedAgentCardNotConfiguredError: {
    code: -32007,
    status: 'FAILED_PRECONDITION',
    httpStatus: 400,
    reason: 'EXTENDED_AGENT_CARD_NOT_CONFIGURED',
    message: 'No extended agent card is configured',
  },
  ExtensionSupportRequiredError: {
    code: -32008,
    status: 'FAILED_PRECONDITION',
    httpStatus: 400,
    reason: 'EXTENSION_SUPPORT_REQUIRED',
    message: 'A required extension was not declared',
  },
  VersionNotSupportedError: {
    code: -32009,
    status: 'FAILED_PRECONDITION',
    httpStatus: 400,
    reason: 'VERSION_NOT_SUPPORTED',
    message: 'A2A version not supported',
  },
  JSONParseError: {
    code: -32700,
    status: 'INVALID_ARGUMENT',
    httpStatus: 400,
    reason: 'JSON_PARSE',
    message: 'Invalid JSON payload',
  },
  InvalidRequestError: {
    code: -32600,
    status: 'INVALID_ARGUMENT',
    httpStatus: 400,
    reason: 'INVALID_REQUEST',
    message: 'Request payload validation error',
  },
  MethodNotFoundError: {
    code: -32601,
    status: 'NOT_FOUND',
    httpStatus: 404,
    reason: 'METHOD_NOT_FOUND',
    message: 'Method not found',
  },
  InvalidParamsError: {
    code: -32602,
    status: 'INVALID_ARGUMENT',
    httpStatus: 400,
    reason: 'INVALID_PARAMS',
    message: 'Invalid parameters',
  },
  InternalError: {
    code: -32603,
    status: 'INTERNAL',
    httpStatus: 500,
    reason: 'INTERNAL',
    message: 'Internal error',
  },
} as const satisfies Record<string, ErrorKind>

/**
 * Who is not let in, by the status names of gRPC. A2A gives them no code of
 * JSON-RPC and no reason (3.3.2 says "custom"): both are our choice, outside
 * every reserved range. In both bindings they travel in their own HTTP status.
 */
export const ACCESS_ERRORS = {
  UnauthenticatedError: {
    code: 401,
    status: 'UNAUTHENTICATED',
    httpStatus: 401,
    reason: 'UNAUTHENTICATED',
    message: 'Authentication required',
  },
  PermissionDeniedError: {
    code: 403,
    status: 'PERMISSION_DENIED',
    httpStatus: 403,
    reason: 'PERMISSION_DENIED',
    message: 'Permission denied',
  },
} as const satisfies Record<string, ErrorKind>

/**
 * Who asks too often. A2A knows neither: 429 is HTTP's own (RFC 6585), in both
 * bindings; `slow_down` is RFC 8628's, under the names of the delivery extension.
 */
export const PACE_ERRORS = {
  TooManyRequestsError: {
    code: 429,
    status: 'RESOURCE_EXHAUSTED',
    httpStatus: 429,
    reason: 'TOO_MANY_REQUESTS',
    message: 'Too many requests',
  },
  SlowDownError: {
    code: SLOW_DOWN_CODE,
    status: 'FAILED_PRECONDITION',
    httpStatus: 400,
    reason: SLOW_DOWN_REASON,
    message: 'slow_down: polls of this task come too fast',
  },
} as const satisfies Record<string, ErrorKind>

export type ErrorName = keyof typeof ERRORS
export type AccessErrorName = keyof typeof ACCESS_ERRORS
export type PaceErrorName = keyof typeof PACE_ERRORS
type AnyErrorName = ErrorName | AccessErrorName | PaceErrorName

/** Both releases are version 1.0 on the wire, but give some errors another status. */
export type ErrorProfile = '1.0.0' | '1.0.1'

/** What v1.0.0 says instead of the table above: its UNIMPLEMENTED errors kept HTTP status 400. */
const IN_1_0_0: Partial<Record<AnyErrorName, Partial<ErrorKind>>> = {
  TaskNotCancelableError: { httpStatus: 409 },
  PushNotificationNotSupportedError: { status: 'UNIMPLEMENTED' },
  UnsupportedOperationError: { status: 'UNIMPLEMENTED' },
  ContentTypeNotSupportedError: { httpStatus: 415 },
  InvalidAgentResponseError: { httpStatus: 502 },
  VersionNotSupportedError: { status: 'UNIMPLEMENTED' },
}

const EVERY_ERROR: Record<AnyErrorName, ErrorKind> = { ...ERRORS, ...ACCESS_ERRORS, ...PACE_ERRORS }

/** How an error looks in one release of the specification. */
export const kindOf = (name: AnyErrorName, profile: ErrorProfile = '1.0.1'): ErrorKind =>
  profile === '1.0.0' ? { ...EVERY_ERROR[name], ...IN_1_0_0[name] } : EVERY_ERROR[name]

/** The HTTP status of an error over JSON-RPC: only who is not let in, now or at all, hears of it there; the rest is 200. */
export const jsonRpcHttpStatusOf = (name: AnyErrorName): number =>
  Object.hasOwn(ACCESS_ERRORS, name) || name === 'TooManyRequestsError' ? EVERY_ERROR[name].httpStatus : 200

/** `ErrorInfo.domain` of every A2A error. */
const ERROR_DOMAIN = 'a2a-protocol.org'

const ERROR_INFO = 'type.googleapis.com/google.rpc.ErrorInfo'

/** One member of a request that is not as it must be. */
export interface FieldViolation {
  /** Path of the member, such as `message.parts`. */
  field: string
  description: string
}

/** An error an A2A agent answers with; each binding gives it its own shape. */
export class A2AError extends Error {
  override readonly name: AnyErrorName
  readonly violations: readonly FieldViolation[]

  constructor(name: AnyErrorName, message?: string, violations: readonly FieldViolation[] = []) {
    super(message ?? EVERY_ERROR[name].message)
    this.name = name
    this.violations = violations
  }
}

/** The error for a request with a wrong member: its path, and what must stand there. */
export const invalidParams = (field: string, description: string): A2AError =>
  new A2AError('InvalidParamsError', `${field} ${description}`, [{ field, description }])

/** What both bindings send along: `error.data` of JSON-RPC, `error.details` of HTTP+JSON. */
export function detailsOf(error: A2AError): object[] {
  const info = { '@type': ERROR_INFO, reason: kindOf(error.name).reason, domain: ERROR_DOMAIN }
  if (error.violations.length === 0) return [info]
  return [info, { '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations: error.violations }]
}

const NAMES = Object.keys(EVERY_ERROR) as AnyErrorName[]
const NAME_OF_CODE = new Map<unknown, AnyErrorName>(NAMES.map((name) => [EVERY_ERROR[name].code, name]))
const NAME_OF_REASON = new Map<unknown, AnyErrorName>(NAMES.map((name) => [EVERY_ERROR[name].reason, name]))

/**
 * The error a response body in either binding is, by what both releases agree
 * on: the code of JSON-RPC, the reason of HTTP+JSON. Never by the HTTP status.
 *
 * @param body parsed JSON
 * @returns `undefined` for a result, and for an error that is none of A2A
 */
export function errorNameOf(body: unknown): AnyErrorName | undefined {
  if (!isObject(body) || !isObject(body['error'])) return undefined
  const { code, details } = body['error']
  if (body['jsonrpc'] !== undefined) return NAME_OF_CODE.get(code)
  if (!Array.isArray(details)) return undefined
  const info = details.filter(isObject).find((one) => one['@type'] === ERROR_INFO)
  return info?.['domain'] === ERROR_DOMAIN ? NAME_OF_REASON.get(info['reason']) : undefined
}
