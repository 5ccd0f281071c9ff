/**
 * Whatever is thrown at the agent, it answers: with a result if the request
 * happened to be one, else with an error in the shape of the binding, never
 * with a 500 or with anything of its inside.
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ERRORS, type ErrorName } from '../protocol/errors.ts'
import { OPERATIONS } from '../protocol/operation.ts'
import { HTTP_JSON_PATH, JSON_RPC_PATH } from '../protocol/paths.ts'
import { onStage, SEED_JOB, type Stage } from '../testing/agent-stage.ts'
import { FUZZ_TIMEOUT_MS, NUM_RUNS } from './fuzz.suite.ts'

interface Thrown {
  method: string
  path: string
  headers: Record<string, string>
  body: Uint8Array<ArrayBuffer> | string | undefined
}

/** The task that is there before anything is thrown. */
const TASK_ID = `A${'1'.padStart(25, '0')}`

/** Nine times out of ten the first. */
const usually = <T, U>(arbitrary: fc.Arbitrary<T>, other: fc.Arbitrary<U>): fc.Arbitrary<T | U> =>
  fc.oneof({ weight: 9, arbitrary }, { weight: 1, arbitrary: other })

/** Member names the agent looks at, with values it does not expect there. */
const MEMBERS = (
  'message messageId role parts text raw url data metadata mediaType filename id taskId contextId tenant ' +
  'configuration taskPushNotificationConfig authentication scheme token historyLength returnImmediately ' +
  'pageSize pageToken status statusTimestampAfter includeArtifacts extensions referenceTaskIds ' +
  'acceptedOutputModes __proto__'
).split(' ')

const value: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    fc.oneof(fc.string(), fc.double(), fc.integer(), fc.boolean(), fc.constant(null)),
    fc.constantFrom('ROLE_USER', 'TASK_STATE_WORKING', 'https://a.example', '', TASK_ID),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...MEMBERS), tie('value'), { maxKeys: 6, noNullPrototype: true }),
  ),
})).value

/** Sends that are right, mostly. */
const message = fc.record(
  {
    messageId: usually(fc.constant('m'), value),
    role: usually(fc.constant('ROLE_USER'), value),
    parts: usually(fc.constant([{ text: 'Find a venue' }]), fc.oneof(value, fc.array(value))),
    contextId: value,
    taskId: value,
  },
  { requiredKeys: ['messageId', 'role', 'parts'] },
)
const reference = fc.record({
  id: usually(fc.constant(TASK_ID), value),
  taskId: usually(fc.constant(TASK_ID), value),
  url: usually(fc.constant('https://a.example/hook'), value),
})
const params = fc.oneof(
  value,
  reference,
  fc.record({ message: usually(message, value), configuration: value }, { requiredKeys: ['message'] }),
)
const operation = fc.oneof(fc.constantFrom(...OPERATIONS), fc.string())

const octets = fc.uint8Array({ maxLength: 200 }).map((bytes) => new Uint8Array(bytes))
/** A call that is right but for what is cut out of it or put into it. */
const damaged = fc
  .tuple(operation, params, fc.nat(), fc.nat(4), fc.string({ maxLength: 3 }))
  .map(([method, given, at, length, put]) => {
    const text = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: given })
    const begin = at % text.length
    return text.slice(0, begin) + put + text.slice(begin + length)
  })
const call = fc
  .record(
    {
      jsonrpc: fc.oneof({ weight: 8, arbitrary: fc.constant('2.0') }, value),
      id: fc.oneof(fc.integer(), fc.string(), value),
      method: fc.oneof({ weight: 4, arbitrary: operation }, value),
      params,
    },
    { requiredKeys: [] },
  )
  .map((envelope) => JSON.stringify(envelope))

const headers = fc.record(
  {
    'A2A-Version': fc.oneof(
      { weight: 9, arbitrary: fc.constant('1.0') },
      fc.constantFrom('0.3', '1', '1.0.1', '\u00ff', '"'),
    ),
    'Content-Type': fc.oneof(
      { weight: 9, arbitrary: fc.constant('application/json') },
      fc.constantFrom('application/a2a+json', 'text/plain', ';', '\u00ff'),
    ),
    'A2A-Extensions': fc.constantFrom('', ',', 'https://a.example/x, https://a.example/y'),
    Authorization: fc.constantFrom('', 'Bearer', 'Bearer x', 'Basic eDp5', '?'),
  },
  { requiredKeys: ['A2A-Version', 'Content-Type'] },
)

/** Segments of addresses: right ones, odd ones, and ones that decode to nothing. */
const segment = fc.oneof(
  fc.constantFrom(
    'tasks',
    'message:send',
    'message:stream',
    'none',
    'none:cancel',
    'none:subscribe',
    'tenant',
  ),
  fc.constantFrom(
    'pushNotificationConfigs',
    'extendedAgentCard',
    '',
    '..',
    '%',
    '%zz',
    '%2F',
    ':',
    ':cancel',
    '%C3',
  ),
  fc.string({ maxLength: 6 }).map(encodeURIComponent),
)
const query = fc.oneof(
  fc.constant(''),
  fc
    .tuple(fc.constantFrom(...MEMBERS, 'A2A-Version'), fc.string({ maxLength: 6 }))
    .map(([name, text]) => `?${name}=${text.replaceAll('#', '%')}`),
)
const path = fc
  .tuple(fc.array(segment, { minLength: 1, maxLength: 5 }), query)
  .map(([segments, question]) => `${HTTP_JSON_PATH}/${segments.join('/')}${question}`)

const toJsonRpc: fc.Arbitrary<Thrown> = fc.record({
  method: fc.constant('POST'),
  path: fc.oneof(
    { weight: 9, arbitrary: fc.constant(JSON_RPC_PATH) },
    fc.constant(`${JSON_RPC_PATH}?A2A-Version=%`),
  ),
  headers,
  body: fc.oneof(octets, fc.json(), damaged, { weight: 4, arbitrary: call }),
})
const rightPath = fc.constantFrom(
  'message:send',
  'message:stream',
  `tasks/${TASK_ID}`,
  `tasks/${TASK_ID}:subscribe`,
  `tasks/${TASK_ID}/pushNotificationConfigs`,
)
const toHttpJson: fc.Arbitrary<Thrown> = fc
  .record({
    method: fc.constantFrom('GET', 'POST', 'POST', 'DELETE', 'PUT', 'HEAD'),
    path: fc.oneof(
      path,
      rightPath.map((right) => `${HTTP_JSON_PATH}/${right}`),
    ),
    headers,
    body: fc.oneof(
      octets,
      fc.json(),
      params.map((given) => JSON.stringify(given)),
    ),
  })
  .map((thrown) => (['GET', 'HEAD'].includes(thrown.method) ? { ...thrown, body: undefined } : thrown))

interface WireError {
  code: number
  message: string
  status?: string
  data?: { reason: string }[]
  details?: { reason: string }[]
}

const NAMES = Object.keys(ERRORS) as ErrorName[]

async function mustBeWellFormed(stage: Stage, { method, path, headers, body }: Thrown): Promise<string> {
  const response = await stage.raw(path, { method, headers, ...(body !== undefined && { body }) })
  const type = response.headers.get('content-type')
  if (type === 'text/event-stream') {
    await response.body?.cancel()
    return 'stream'
  }
  const text = await response.text()
  expect(response.status).toBeLessThan(500)
  if (response.status === 204) return 'empty'
  expect(response.headers.get('content-length')).toBe(String(Buffer.byteLength(text)))
  const answer = JSON.parse(text) as Record<string, unknown>
  if (path.startsWith(JSON_RPC_PATH)) {
    expect(response.status).toBe(200)
    expect(type).toBe('application/json')
    expect(answer['jsonrpc']).toBe('2.0')
    expect(Object.keys(answer).toSorted()).toEqual(
      ['id', 'error' in answer ? 'error' : 'result', 'jsonrpc'].toSorted(),
    )
    if (!('error' in answer)) return 'result'
  } else {
    expect(type).toBe('application/a2a+json')
    if (response.ok) return 'result'
    expect(Object.keys(answer)).toEqual(['error'])
  }
  const { code, status, message, data, details } = answer['error'] as WireError
  const reason = (data ?? details)?.[0]?.reason
  const name = NAMES.find((known) => ERRORS[known].reason === reason) as ErrorName
  const kind = ERRORS[name]
  if (data === undefined)
    expect([response.status, code, status]).toEqual([kind.httpStatus, kind.httpStatus, kind.status])
  else expect(code).toBe(kind.code)
  expect(message).toMatch(/./)
  expect(message).not.toMatch(/\.[jt]s:\d+|node_modules|TypeError|undefined|\n/)
  return name
}

/** What 300 cases are enough to bring about. */
const OFTEN = [
  'result',
  'stream',
  'JSONParseError',
  'InvalidRequestError',
  'MethodNotFoundError',
  'InvalidParamsError',
  'TaskNotFoundError',
  'VersionNotSupportedError',
  'ContentTypeNotSupportedError',
]

test.each([
  ['JSON-RPC', toJsonRpc],
  ['HTTP+JSON', toHttpJson],
] as const)('%s', { timeout: FUZZ_TIMEOUT_MS }, async (_, thrown) => {
  const outcomes = new Set<string>()
  await fc.assert(
    fc.asyncProperty(fc.array(thrown, { minLength: 1, maxLength: 3 }), async (all) => {
      await onStage({ job: SEED_JOB }, async (stage) => {
        expect((await stage.send()).id).toBe(TASK_ID)
        for (const one of all) outcomes.add(await mustBeWellFormed(stage, one))
      })
    }),
    { seed: 1, numRuns: NUM_RUNS },
  )
  // Else what is thrown is too odd to get past the door, or not odd enough.
  for (const outcome of OFTEN) expect(outcomes).toContain(outcome)
})
