/** What strangers, callers without a grant, and callers of others' things are told: as little as can be. */
import { describe, expect, test } from 'vitest'
import type { Binding, Task } from '../protocol/a2a.ts'
import { requestOf } from '../protocol/http-json.ts'
import { type Operation, OPERATIONS } from '../protocol/operation.ts'
import { MESSAGE, onStage, SEED_JOB, type Stage } from '../testing/agent-stage.ts'
import type { AgentSettings } from './settings.ts'
import { type Caller, createReception } from './access.ts'

const BINDINGS: Binding[] = ['HTTP+JSON', 'JSONRPC']
const EVERY_GRANT = ['tasks:read', 'tasks:write'] as const
const settings = {
  extendedCard: [{ id: 'book', name: 'Book', description: 'Books a venue.', tags: ['venues'] }],
  access: {
    callers: [
      { owner: 'ann', apiKey: 'key of ann', bearerToken: 'token-of-ann', grants: EVERY_GRANT },
      { owner: 'bob', bearerToken: 'token-of-bob', grants: EVERY_GRANT },
      { owner: 'ann', bearerToken: 'token-that-reads', grants: ['tasks:read'] },
    ],
  },
} satisfies Partial<AgentSettings>

const ANN = { Authorization: 'Bearer token-of-ann' }
const BOB = { Authorization: 'Bearer token-of-bob' }
const HEADERS = { 'A2A-Version': '1.0', 'Content-Type': 'application/json' }

/** A whole response: everything a caller could tell two of them apart by. */
interface Whole {
  status: number
  headers: [string, string][]
  body: string
}

const wholeOf = async (response: Response): Promise<Whole> => ({
  status: response.status,
  headers: [...response.headers],
  body: await response.text(),
})

const send = (
  { raw }: Stage,
  binding: Binding,
  operation: Operation,
  params: Record<string, unknown>,
  who: Record<string, string>,
): Promise<Response> => {
  const headers = { ...HEADERS, ...who }
  if (binding === 'JSONRPC') {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: operation, params })
    return raw('/a2a/v1', { method: 'POST', headers, body })
  }
  const { method, pathAndQuery, body } = requestOf(operation, params)
  return raw(`/rest${pathAndQuery}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
}

const begun = async (stage: Stage, who: Record<string, string>): Promise<Task> => {
  const params = { message: MESSAGE, configuration: { returnImmediately: true } }
  const response = await send(stage, 'HTTP+JSON', 'SendMessage', params, who)
  return ((await response.json()) as { task: Task }).task
}

const paramsOf = (operation: Operation, id: string): Record<string, unknown> =>
  operation.startsWith('Send') ? { message: MESSAGE } : { id, taskId: id, url: 'https://bob.example/hook' }

describe.each(BINDINGS)('%s', (binding) => {
  test.each<[string, Record<string, string>, string]>([
    ['nothing', {}, 'Bearer realm="a2a"'],
    ['a wrong token', { Authorization: 'Bearer token-of-eve' }, 'Bearer realm="a2a", error="invalid_token"'],
    ['a key as a token', { Authorization: 'Bearer key of ann' }, 'Bearer realm="a2a", error="invalid_token"'],
    [
      'a scheme not enforced here',
      { Authorization: 'Basic YW5u' },
      'Bearer realm="a2a", error="invalid_token"',
    ],
    [
      'two callers at once',
      { ...BOB, 'X-API-Key': 'key of ann' },
      'Bearer realm="a2a", error="invalid_token"',
    ],
    ['one right and one wrong', { ...ANN, 'X-API-Key': '?' }, 'Bearer realm="a2a", error="invalid_token"'],
  ])('who comes with %s gets 401, whatever is asked', async (_, who, challenge) => {
    await onStage({ job: SEED_JOB, settings }, async (stage) => {
      const { id } = await begun(stage, ANN)
      for (const operation of OPERATIONS) {
        const there = await wholeOf(await send(stage, binding, operation, paramsOf(operation, id), who))
        expect(there.status).toBe(401)
        expect(Object.fromEntries(there.headers)).toMatchObject({ 'www-authenticate': challenge })
        expect(there.body).toContain('"reason":"UNAUTHENTICATED"')
        const notThere = await send(stage, binding, operation, paramsOf(operation, 'none'), who)
        expect(await wholeOf(notThere)).toEqual(there)
      }
    })
  })

  test('credentials in the address or in the payload are none', async () => {
    await onStage({ job: SEED_JOB, settings }, async ({ raw }) => {
      const call = {
        jsonrpc: '2.0',
        id: 1,
        method: 'ListTasks',
        params: { apiKey: 'key of ann', 'X-API-Key': 'key of ann', authorization: ANN.Authorization },
      }
      const query = '?X-API-Key=key+of+ann&access_token=token-of-ann'
      const response =
        binding === 'JSONRPC'
          ? await raw(`/a2a/v1${query}`, { method: 'POST', headers: HEADERS, body: JSON.stringify(call) })
          : await raw(`/rest/tasks${query}`, { headers: HEADERS })
      expect(response.status).toBe(401)
    })
  })

  test('an operation that is not granted is 403, naming the scope, whether the task is there or not', async () => {
    await onStage({ job: SEED_JOB, settings }, async (stage) => {
      const { id } = await begun(stage, ANN)
      const reader = { Authorization: 'bearer token-that-reads' }
      const ask = async (operation: Operation, of: string) =>
        wholeOf(await send(stage, binding, operation, paramsOf(operation, of), reader))
      expect((await ask('GetTask', id)).status).toBe(200)
      const denied = await ask('CancelTask', id)
      expect(denied.status).toBe(403)
      expect(denied.body).toContain('"message":"CancelTask needs the scope tasks:write"')
      expect(Object.fromEntries(denied.headers)['www-authenticate']).toBe(
        'Bearer realm="a2a", error="insufficient_scope", scope="tasks:write"',
      )
      expect(await ask('CancelTask', 'none')).toEqual(denied)
      expect((await ask('SendMessage', '')).status).toBe(403)
    })
  })

  test("another caller's task, context and configuration look as if they did not exist", async () => {
    await onStage({ job: SEED_JOB, settings }, async (stage) => {
      const { id, contextId } = await begun(stage, ANN)
      const created = await send(
        stage,
        binding,
        'CreateTaskPushNotificationConfig',
        { taskId: id, id: 'config', url: 'https://ann.example/hook' },
        ANN,
      )
      expect(created.status).toBe(200)

      const message = (more: object) => ({ message: { ...MESSAGE, ...more } })
      const config = (taskId: string) => ({ taskId, id: 'config', url: 'https://bob.example/hook' })
      const pairs: [Operation, Record<string, unknown>, Record<string, unknown>][] = [
        ['GetTask', { id }, { id: 'none' }],
        ['CancelTask', { id }, { id: 'none' }],
        ['SubscribeToTask', { id }, { id: 'none' }],
        ['ListTasks', {}, { contextId: 'none' }],
        ['ListTasks', { contextId }, { contextId: 'none' }],
        ['SendMessage', message({ taskId: id }), message({ taskId: 'none' })],
        ['SendMessage', message({ taskId: id, contextId }), message({ taskId: 'none', contextId: 'none' })],
        ['SendMessage', message({ contextId }), message({ contextId: 'none' })],
        ['SendStreamingMessage', message({ contextId }), message({ contextId: 'none' })],
        ['CreateTaskPushNotificationConfig', config(id), config('none')],
        ['GetTaskPushNotificationConfig', config(id), config('none')],
        ['ListTaskPushNotificationConfigs', { taskId: id }, { taskId: 'none' }],
        ['DeleteTaskPushNotificationConfig', config(id), config('none')],
      ]
      for (const [operation, foreign, unknown] of pairs) {
        const ofBob = (params: Record<string, unknown>, tenant = {}) =>
          send(stage, binding, operation, { ...params, ...tenant }, BOB).then(wholeOf)
        const answer = await ofBob(unknown)
        expect({ operation, ...(await ofBob(foreign)) }).toEqual({ operation, ...answer })
        const ofAnnElsewhere = await send(stage, binding, operation, { ...foreign, tenant: 'acme' }, ANN)
        expect({ operation, ...(await wholeOf(ofAnnElsewhere)) }).toEqual({ operation, ...answer })
      }
      // Ann has lost nothing by it.
      const kept = await send(stage, binding, 'GetTaskPushNotificationConfig', config(id), ANN)
      expect(await kept.text()).toContain('https://ann.example/hook')
      const byKey = await send(stage, binding, 'GetTask', { id }, { 'X-API-Key': 'key of ann' })
      expect(await byKey.text()).toContain('TASK_STATE_WORKING')
    })
  })

  test('the extended card is for callers the agent knows, whatever they may do', async () => {
    await onStage({ job: SEED_JOB, settings }, async (stage) => {
      const response = await send(stage, binding, 'GetExtendedAgentCard', {}, BOB)
      expect(await response.text()).toContain('"id":"book"')
      expect(JSON.stringify(stage.agent.card)).not.toContain('"id":"book"')
      expect(stage.agent.card.capabilities.extendedAgentCard).toBe(true)
    })
  })

  const { access, extendedCard, ...nothingMore } = settings
  test.each<[string, Partial<AgentSettings>, string]>([
    ['is not offered', { ...nothingMore, access }, 'UNSUPPORTED_OPERATION'],
    [
      'is promised and missing',
      { ...nothingMore, access, extendedCard: 'not configured' },
      'EXTENDED_AGENT_CARD_NOT_CONFIGURED',
    ],
    ['is asked for by nobody in particular', { ...nothingMore, extendedCard }, 'UNAUTHENTICATED'],
  ])('an extended card that %s', async (_, given, reason) => {
    await onStage({ job: SEED_JOB, settings: given }, async (stage) => {
      const response = await send(stage, binding, 'GetExtendedAgentCard', {}, BOB)
      expect(await response.text()).toContain(`"reason":"${reason}"`)
      expect(response.headers.has('www-authenticate')).toBe(reason === 'UNAUTHENTICATED')
    })
  })
})

test('the card stays open to everybody and declares all five kinds of scheme, without outdated flows', async () => {
  await onStage({ job: SEED_JOB, settings }, async ({ raw, agent }) => {
    expect((await raw('/.well-known/agent-card.json')).status).toBe(200)
    const { securitySchemes = {}, securityRequirements = [] } = agent.card
    expect(Object.values(securitySchemes).map((scheme) => Object.keys(scheme)[0])).toEqual([
      'apiKeySecurityScheme',
      'httpAuthSecurityScheme',
      'oauth2SecurityScheme',
      'oauth2SecurityScheme',
      'openIdConnectSecurityScheme',
      'mtlsSecurityScheme',
    ])
    const text = JSON.stringify(securitySchemes)
    expect(text).toMatch(/"deviceCode":.*"pkceRequired":true/)
    expect(text).not.toMatch(/"implicit"|"password"/)
    expect(securityRequirements.map(({ schemes }) => Object.keys(schemes)[0])).toEqual(
      Object.keys(securitySchemes),
    )
  })
})

const caller = (owner: string): Caller => ({ owner, bearerToken: 't', grants: EVERY_GRANT })

test.each([
  ['share a token', [caller('ann'), caller('bob')], /bob has the credentials of another/],
  ['are called like nobody', [caller('anonymous')], /cannot be "anonymous"/],
])('callers who %s are refused', (_, callers, says) => {
  expect(() => createReception({ callers })).toThrow(says)
})
