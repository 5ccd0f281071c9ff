import { describe, expect, test } from 'vitest'
import {
  A2AError,
  type AccessErrorName,
  type ErrorName,
  errorNameOf,
  type ErrorProfile,
  invalidParams,
  jsonRpcHttpStatusOf,
  type PaceErrorName,
} from './errors.ts'
import { errorBody } from './http-json.ts'
import { errorEnvelope } from './json-rpc.ts'

/** Name, code, and HTTP status with status name: of v1.0.1, then of v1.0.0 where it says otherwise. */
type Row = [
  ErrorName | AccessErrorName | PaceErrorName,
  number,
  number,
  string,
  (number | undefined)?,
  string?,
]

const NINE: Row[] = [
  ['TaskNotFoundError', -32001, 404, 'NOT_FOUND'],
  ['TaskNotCancelableError', -32002, 400, 'FAILED_PRECONDITION', 409],
  ['PushNotificationNotSupportedError', -32003, 400, 'FAILED_PRECONDITION', 400, 'UNIMPLEMENTED'],
  ['UnsupportedOperationError', -32004, 400, 'FAILED_PRECONDITION', 400, 'UNIMPLEMENTED'],
  ['ContentTypeNotSupportedError', -32005, 400, 'INVALID_ARGUMENT', 415],
  ['InvalidAgentResponseError', -32006, 500, 'INTERNAL', 502],
  ['ExtendedAgentCardNotConfiguredError', -32007, 400, 'FAILED_PRECONDITION'],
  ['ExtensionSupportRequiredError', -32008, 400, 'FAILED_PRECONDITION'],
  ['VersionNotSupportedError', -32009, 400, 'FAILED_PRECONDITION', 400, 'UNIMPLEMENTED'],
]
const FIVE: Row[] = [
  ['JSONParseError', -32700, 400, 'INVALID_ARGUMENT'],
  ['InvalidRequestError', -32600, 400, 'INVALID_ARGUMENT'],
  ['MethodNotFoundError', -32601, 404, 'NOT_FOUND'],
  ['InvalidParamsError', -32602, 400, 'INVALID_ARGUMENT'],
  ['InternalError', -32603, 500, 'INTERNAL'],
]
const OF_ACCESS: Row[] = [
  ['UnauthenticatedError', 401, 401, 'UNAUTHENTICATED'],
  ['PermissionDeniedError', 403, 403, 'PERMISSION_DENIED'],
]
const OF_PACE: Row[] = [
  ['TooManyRequestsError', 429, 429, 'RESOURCE_EXHAUSTED'],
  ['SlowDownError', -32050, 400, 'FAILED_PRECONDITION'],
]

/** The name in capitals, without Error. */
const reasonOf = (name: string) =>
  name
    .replace(/Error$/, '')
    .replaceAll(/(?<=[a-z])(?=[A-Z])|(?<=JSON)/g, '_')
    .toUpperCase()

describe.each(['1.0.1', '1.0.0'] satisfies ErrorProfile[])('as of v%s', (profile) => {
  test.each([...NINE, ...FIVE, ...OF_ACCESS, ...OF_PACE])(
    '%s',
    (name, code, httpNow, statusNow, httpThen, statusThen) => {
      const old = profile === '1.0.0'
      const http = old ? (httpThen ?? httpNow) : httpNow
      const status = old ? (statusThen ?? statusNow) : statusNow
      const info = {
        '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
        reason: reasonOf(name),
        domain: 'a2a-protocol.org',
      }
      const error = new A2AError(name, 'what went wrong')

      const httpJson: unknown = JSON.parse(errorBody(error, profile))
      expect(httpJson).toEqual({ error: { code: http, status, message: 'what went wrong', details: [info] } })
      expect(errorNameOf(httpJson)).toBe(name)

      const jsonRpc: unknown = JSON.parse(errorEnvelope('7', error))
      expect(jsonRpc).toEqual({
        jsonrpc: '2.0',
        id: '7',
        error: { code, message: 'what went wrong', data: [info] },
      })
      expect(errorNameOf(jsonRpc)).toBe(name)
      expect(jsonRpcHttpStatusOf(name)).toBe(code > 0 ? http : 200)
    },
  )
})

test('a wrong member is named in the details', () => {
  const body = JSON.parse(errorBody(invalidParams('message.parts', 'must be an array'))) as {
    error: { message: string; details: object[] }
  }
  expect(body.error.message).toBe('message.parts must be an array')
  expect(body.error.details[1]).toEqual({
    '@type': 'type.googleapis.com/google.rpc.BadRequest',
    fieldViolations: [{ field: 'message.parts', description: 'must be an array' }],
  })
  expect(errorNameOf(body)).toBe('InvalidParamsError')
})

test.each<[string, unknown]>([
  ['a result', { jsonrpc: '2.0', id: 1, result: {} }],
  ['a task', { id: 't1', status: { state: 'TASK_STATE_WORKING' } }],
  ['not even an object', 'Not found'],
  ["a gateway's error without ErrorInfo", { error: { code: 404, status: 'NOT_FOUND', details: [] } }],
  ['a code nobody knows', { jsonrpc: '2.0', id: 1, error: { code: -32060 } }],
  [
    "somebody else's reason",
    {
      error: {
        details: [
          {
            '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
            reason: 'TASK_NOT_FOUND',
            domain: 'shop.example',
          },
        ],
      },
    },
  ],
])('%s is none of these errors', (_, body) => {
  expect(errorNameOf(body)).toBeUndefined()
})
