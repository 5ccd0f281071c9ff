/**
 * The HTTP+JSON binding: which request line is which operation, both ways, and
 * what errors look like (specification 11). Paths are relative to the
 * interface's url.
 */
import { type A2AError, detailsOf, type ErrorProfile, invalidParams, kindOf } from './errors.ts'
import type { Operation } from './operation.ts'

type Method = 'GET' | 'POST' | 'DELETE'

interface Route {
  operation: Operation
  method: Method
  /** `{id}` stands for the request's member of that name, percent-encoded. */
  path: string
  /** Members that travel as query parameters, and what they are (specification 11.5). */
  query?: Record<string, 'text' | 'integer' | 'boolean'>
  /** Whether the request's other members travel as a JSON body. */
  body: boolean
}

/** The first route of an operation is the one requests are written with. */
const ROUTES: readonly Route[] = [
  {
    operation: 'GetTask',
    method: 'GET',
    path: '/tasks/{id}',
    query: { historyLength: 'integer' },
    body: false,
  },
  { operation: 'SendMessage', method: 'POST', path: '/message:send', body: true },
  { operation: 'SendStreamingMessage', method: 'POST', path: '/message:stream', body: true },
  {
    operation: 'ListTasks',
    method: 'GET',
    path: '/tasks',
    query: {
      contextId: 'text',
      status: 'text',
      pageSize: 'integer',
      pageToken: 'text',
      historyLength: 'integer',
      statusTimestampAfter: 'text',
      includeArtifacts: 'boolean',
    },
    body: false,
  },
  { operation: 'CancelTask', method: 'POST', path: '/tasks/{id}:cancel', body: true },
  // The prose says POST and the proto says GET: clients use either.
  { operation: 'SubscribeToTask', method: 'POST', path: '/tasks/{id}:subscribe', body: false },
  { operation: 'SubscribeToTask', method: 'GET', path: '/tasks/{id}:subscribe', body: false },
  {
    operation: 'CreateTaskPushNotificationConfig',
    method: 'POST',
    path: '/tasks/{taskId}/pushNotificationConfigs',
    body: true,
  },
  {
    operation: 'GetTaskPushNotificationConfig',
    method: 'GET',
    path: '/tasks/{taskId}/pushNotificationConfigs/{id}',
    body: false,
  },
  {
    operation: 'ListTaskPushNotificationConfigs',
    method: 'GET',
    path: '/tasks/{taskId}/pushNotificationConfigs',
    query: { pageSize: 'integer', pageToken: 'text' },
    body: false,
  },
  {
    operation: 'DeleteTaskPushNotificationConfig',
    method: 'DELETE',
    path: '/tasks/{taskId}/pushNotificationConfigs/{id}',
    body: false,
  },
  { operation: 'GetExtendedAgentCard', method: 'GET', path: '/extendedAgentCard', body: false },
]

/** One piece of a path between two slashes: as it stands, or a member's value before a suffix such as `:cancel`. */
type Segment = { literal: string } | { member: string; suffix: string }

const segmentsOf = (path: string): Segment[] =>
  path.split('/').map((piece) => {
    const [, member, suffix] = /^\{(\w+)\}(.*)$/.exec(piece) ?? []
    return member === undefined ? { literal: piece } : { member, suffix: suffix as string }
  })

const MATCHERS = ROUTES.map((route) => ({ route, segments: segmentsOf(route.path) }))

export interface RoutedRequest {
  operation: Operation
  /** What the request line says; a body, if the route has one, holds the other members. */
  params: Record<string, unknown>
  body: boolean
}

/**
 * The operation a request line means; `undefined` if there is none such. What
 * is an address without a tenant is never taken for one with.
 *
 * @throws A2AError InvalidParamsError for a query that says one thing twice
 */
export function routeOf(method: string, path: string, query?: string): RoutedRequest | undefined {
  const pieces = path.split('/')
  return matched(method, pieces, query, {}) ?? matchedWithTenant(method, pieces, query)
}

/** `/{tenant}` may stand before every path. */
function matchedWithTenant(
  method: string,
  [root = '', prefix = '', ...rest]: string[],
  query: string | undefined,
): RoutedRequest | undefined {
  const tenant = decode(prefix)
  return tenant ? matched(method, [root, ...rest], query, { tenant }) : undefined
}

function matched(
  method: string,
  pieces: string[],
  query: string | undefined,
  begun: Record<string, unknown>,
): RoutedRequest | undefined {
  for (const { route, segments } of MATCHERS) {
    if (route.method !== method || segments.length !== pieces.length) continue
    const found = matchSegments(segments, pieces)
    if (found === undefined) continue
    const params = { ...begun, ...found }
    if (query !== undefined && !route.body) readQuery(query, { tenant: 'text', ...route.query }, params)
    return { operation: route.operation, params, body: route.body }
  }
  return undefined
}

function matchSegments(segments: Segment[], pieces: string[]): Record<string, unknown> | undefined {
  const params: Record<string, unknown> = {}
  for (const [at, segment] of segments.entries()) {
    const piece = pieces[at] as string
    if ('literal' in segment) {
      if (segment.literal !== piece) return undefined
      continue
    }
    if (!piece.endsWith(segment.suffix)) return undefined
    const value = piece.slice(0, piece.length - segment.suffix.length)
    // A colon inside an id travels as %3A: a bare one begins a suffix this route does not have.
    if (value === '' || value.includes(':')) return undefined
    const decoded = decode(value)
    if (decoded === undefined) return undefined
    params[segment.member] = decoded
  }
  return params
}

function decode(value: string): string | undefined {
  if (!value.includes('%')) return value
  try {
    return decodeURIComponent(value)
  } catch {
    return undefined
  }
}

/** Values that are not what they must be stay text, for the operation to refuse. */
function readQuery(query: string, types: NonNullable<Route['query']>, params: Record<string, unknown>): void {
  for (const [name, value] of new URLSearchParams(query)) {
    const type = Object.hasOwn(types, name) ? types[name] : undefined
    if (type === undefined) continue
    if (params[name] !== undefined && params[name] !== value) throw invalidParams(name, 'must be given once')
    if (type === 'integer' && /^-?\d+$/.test(value)) params[name] = Number(value)
    else if (type === 'boolean' && (value === 'true' || value === 'false')) params[name] = value === 'true'
    else params[name] = value
  }
}

export interface HttpJsonRequest {
  method: Method
  /** Path and query, relative to the interface's url. */
  pathAndQuery: string
  body: Record<string, unknown> | undefined
}

/** How an operation's request is written in this binding: the reverse of `routeOf`. */
export function requestOf(operation: Operation, params: Record<string, unknown>): HttpJsonRequest {
  const route = ROUTES.find((one) => one.operation === operation) as Route
  const rest = { ...params }
  const take = (member: string): string => {
    const value = String(rest[member])
    delete rest[member]
    return value
  }
  const prefix = rest['tenant'] ? `/${encodeURIComponent(take('tenant'))}` : ''
  const path =
    prefix + route.path.replaceAll(/\{(\w+)\}/g, (_, member: string) => encodeURIComponent(take(member)))
  const query = new URLSearchParams()
  for (const name of Object.keys(route.query ?? {})) {
    if (rest[name] !== undefined) query.set(name, take(name))
  }
  return {
    method: route.method,
    pathAndQuery: query.size === 0 ? path : `${path}?${query.toString()}`,
    body: route.body ? rest : undefined,
  }
}

/** The body of an answer that is an error (specification 11.6); its HTTP status is that of its kind. */
export function errorBody(error: A2AError, profile?: ErrorProfile): string {
  const { httpStatus, status } = kindOf(error.name, profile)
  return JSON.stringify({
    error: { code: httpStatus, status, message: error.message, details: detailsOf(error) },
  })
}
