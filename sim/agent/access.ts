/**
 * Who may do what. Credentials travel in headers and nowhere else, and they are
 * looked at before anything is looked up: an answer to a stranger tells nothing
 * of what is there. Whose tasks a caller sees is the business of the scope.
 */
import { createHash } from 'node:crypto'
import type { SecurityRequirement, SecurityScheme } from '../protocol/a2a.ts'
import { A2AError, type AccessErrorName } from '../protocol/errors.ts'
import type { Operation } from '../protocol/operation.ts'
import { ANONYMOUS } from './scope.ts'

/** What a caller may be allowed to do: what OAuth calls a scope. */
export type Grant = 'tasks:read' | 'tasks:write'

const EVERY_GRANT: readonly Grant[] = ['tasks:read', 'tasks:write']

export interface Caller {
  /** Whose tasks these are; two callers of one owner see the same. */
  owner: string
  /** Either of them lets the caller in. */
  apiKey?: string
  bearerToken?: string
  grants: readonly Grant[]
}

export interface AccessSettings {
  callers: readonly Caller[]
}

/** Somebody who was let in. */
export type Visitor = Pick<Caller, 'owner' | 'grants'>

/** A refusal, with what HTTP says of the way in. */
export class AccessError extends A2AError {
  /** The value of `WWW-Authenticate`. */
  readonly challenge: string

  constructor(name: AccessErrorName, message: string, challenge: string) {
    super(name, message)
    this.challenge = challenge
  }
}

const REALM = 'Bearer realm="a2a"'
export const API_KEY_HEADER = 'X-API-Key'

const stranger = (message: string, challenge: string) =>
  new AccessError('UnauthenticatedError', message, challenge)

/** The refusal of whoever did not say who they are. */
export const mustSayWho = () =>
  stranger(`say who you are: ${API_KEY_HEADER}, or Authorization with a Bearer token`, REALM)

/** What the card declares but this agent cannot check counts as wrong, as does a second credential that is. */
const wrong = () => stranger('these credentials are not valid here', `${REALM}, error="invalid_token"`)

/** Looked up by digest, so that the time it takes tells nothing about the secrets. */
const digestOf = (credential: string): string => createHash('sha256').update(credential).digest('base64')

/**
 * Tells callers by their headers. Without settings everybody is the same
 * anonymous caller, who may do everything.
 *
 * @returns throws AccessError for missing or wrong credentials
 * @throws RangeError for callers that cannot be told apart
 */
export function createReception(access: AccessSettings | undefined): (headers: Headers) => Visitor {
  if (access === undefined) return () => ({ owner: ANONYMOUS, grants: EVERY_GRANT })
  const callers = new Map<string, Caller>()
  for (const caller of access.callers) {
    if (caller.owner === ANONYMOUS)
      throw new RangeError(`a caller cannot be "${ANONYMOUS}": that is who gives no credentials`)
    for (const credential of credentialsOf(caller)) {
      const digest = digestOf(credential)
      if (callers.has(digest))
        throw new RangeError(`a caller of ${caller.owner} has the credentials of another: give each its own`)
      callers.set(digest, caller)
    }
  }
  return (headers) => {
    const given = credentialsIn(headers)
    if (given.length === 0) throw mustSayWho()
    const [caller, ...others] = given.map((credential) => callers.get(digestOf(credential)))
    if (caller === undefined || others.some((other) => other !== caller)) throw wrong()
    return caller
  }
}

const apiKeyCredential = (key: string) => `key ${key}`
const bearerCredential = (token: string) => `bearer ${token}`

const credentialsOf = ({ apiKey, bearerToken }: Caller): string[] => [
  ...(apiKey === undefined ? [] : [apiKeyCredential(apiKey)]),
  ...(bearerToken === undefined ? [] : [bearerCredential(bearerToken)]),
]

function credentialsIn(headers: Headers): string[] {
  const key = headers.get(API_KEY_HEADER)
  const authorization = headers.get('authorization')
  const token = /^bearer +(.+)$/i.exec(authorization ?? '')?.[1]
  return [
    ...(key === null ? [] : [apiKeyCredential(key)]),
    ...(authorization === null ? [] : [token === undefined ? authorization : bearerCredential(token)]),
  ]
}

/** What each operation asks for; the extended card only asks to know the caller. */
const NEEDS: Record<Operation, Grant | undefined> = {
  SendMessage: 'tasks:write',
  SendStreamingMessage: 'tasks:write',
  GetTask: 'tasks:read',
  ListTasks: 'tasks:read',
  CancelTask: 'tasks:write',
  SubscribeToTask: 'tasks:read',
  CreateTaskPushNotificationConfig: 'tasks:write',
  GetTaskPushNotificationConfig: 'tasks:read',
  ListTaskPushNotificationConfigs: 'tasks:read',
  DeleteTaskPushNotificationConfig: 'tasks:write',
  GetExtendedAgentCard: undefined,
}

/** @throws AccessError naming the missing grant, whatever the operation would have found */
export function mustBeGranted({ grants }: Visitor, operation: Operation): void {
  const needed = NEEDS[operation]
  if (needed === undefined || grants.includes(needed)) return
  throw new AccessError(
    'PermissionDeniedError',
    `${operation} needs the scope ${needed}`,
    `${REALM}, error="insufficient_scope", scope="${needed}"`,
  )
}

const GRANTS_TOLD: Record<Grant, string> = {
  'tasks:read': 'See your tasks',
  'tasks:write': 'Begin, continue and cancel your tasks',
}

/**
 * Every scheme A2A knows, as the card declares them. API key and Bearer token
 * are checked; whoever comes with another is not let in. A scheme has one flow
 * of OAuth, so there are two; neither is implicit or by password.
 */
export const securitySchemesOf = (origin: string): Record<string, SecurityScheme> => ({
  apiKey: { apiKeySecurityScheme: { location: 'header', name: API_KEY_HEADER } },
  bearer: { httpAuthSecurityScheme: { scheme: 'Bearer' } },
  oauthOnDevices: {
    oauth2SecurityScheme: {
      flows: {
        deviceCode: {
          deviceAuthorizationUrl: `${origin}/oauth/device`,
          tokenUrl: `${origin}/oauth/token`,
          scopes: GRANTS_TOLD,
        },
      },
    },
  },
  oauthInBrowsers: {
    oauth2SecurityScheme: {
      flows: {
        authorizationCode: {
          authorizationUrl: `${origin}/oauth/authorize`,
          tokenUrl: `${origin}/oauth/token`,
          scopes: GRANTS_TOLD,
          pkceRequired: true,
        },
      },
    },
  },
  openId: { openIdConnectSecurityScheme: { openIdConnectUrl: `${origin}/.well-known/openid-configuration` } },
  mutualTls: { mtlsSecurityScheme: {} },
})

const WITH_SCOPES = new Set(['oauthOnDevices', 'oauthInBrowsers', 'openId'])

/** Any one of the schemes will do. */
export const securityRequirementsOf = (schemes: Record<string, SecurityScheme>): SecurityRequirement[] =>
  Object.keys(schemes).map((name) => ({
    schemes: { [name]: { list: WITH_SCOPES.has(name) ? [...EVERY_GRANT] : [] } },
  }))
