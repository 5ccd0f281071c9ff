import { expect, test } from 'vitest'
import { readCancelTask, readGetTask, readListTasks, readPushConfig, readSendMessage } from './requests.ts'

const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'find venues' }] }
const webhook = { taskId: 't', url: 'https://client.example/hook' }

test('members nobody knows and members at their default are dropped', () => {
  expect(
    readSendMessage({
      tenant: '',
      message: { ...message, taskId: '', kind: 'message', parts: [{ data: null, filename: '' }] },
      configuration: { returnImmediately: false, blocking: true },
    }),
  ).toEqual({
    message: { ...message, parts: [{ data: null }] },
    configuration: { returnImmediately: false },
  })
})

test('a list is 50 tasks without artifacts unless it is asked for otherwise', () => {
  const unsaid = { pageSize: 50, includeArtifacts: false }
  expect(readListTasks({})).toEqual(unsaid)
  expect(readListTasks({ status: 'TASK_STATE_UNSPECIFIED', pageToken: '', contextId: '' })).toEqual(unsaid)
  const asked = {
    contextId: 'c',
    status: 'TASK_STATE_INPUT_REQUIRED',
    pageSize: 100,
    pageToken: 'p',
    historyLength: 0,
    statusTimestampAfter: '2026-01-01T00:00:00Z',
    includeArtifacts: true,
  }
  expect(readListTasks(asked)).toEqual(asked)
})

const send = (changed: object) => () => readSendMessage({ message: { ...message, ...changed } })

test.each<[string, () => unknown]>([
  ['message must be an object', () => readSendMessage({})],
  ['message.messageId must be a string that is not empty', send({ messageId: undefined })],
  ['message.role must be ROLE_USER in a message to an agent', send({ role: 'user' })],
  ['message.parts must be an array', send({ parts: undefined })],
  ['message.parts must hold at least one part', send({ parts: [] })],
  [
    'message.parts[1] must have exactly one of text, raw, url, data',
    send({ parts: [{ text: 'a' }, { text: 'a', url: 'https://x.example' }] }),
  ],
  ['message.parts[0] must have exactly one of text, raw, url, data', send({ parts: [{ kind: 'text' }] })],
  ['message.parts[0].text must be a string', send({ parts: [{ text: 7 }] })],
  [
    'configuration.returnImmediately must be true or false',
    () => readSendMessage({ message, configuration: { returnImmediately: 'yes' } }),
  ],
  ['id must be a string that is not empty', () => readGetTask({})],
  ['id must be a string that is not empty', () => readCancelTask({ metadata: {} })],
  ['metadata must be an object', () => readCancelTask({ id: 't', metadata: 'late' })],
  ...[0, 101, -1, 1.5, '10', 'all'].map((pageSize): [string, () => unknown] => [
    'pageSize must be a whole number from 1 to 100',
    () => readListTasks({ pageSize }),
  ]),
  ...['working', 'TASK_STATE_DONE', 2].map((status): [string, () => unknown] => [
    'status must be the name of a state, such as TASK_STATE_WORKING',
    () => readListTasks({ status }),
  ]),
  ...[
    'yesterday',
    '2026-01-01',
    '2026-13-01T00:00:00Z',
    '2026-01-01T00:00:00+01:00',
    '2026-01-01T00:00:00.Z',
    7,
  ].map((statusTimestampAfter): [string, () => unknown] => [
    'statusTimestampAfter must be an instant in UTC, such as 2026-01-01T00:00:00.000Z',
    () => readListTasks({ statusTimestampAfter }),
  ]),
  ['includeArtifacts must be true or false', () => readListTasks({ includeArtifacts: 'yes' })],
  [
    'historyLength must be a whole number and not negative',
    () => readGetTask({ id: 't', historyLength: -1 }),
  ],
  [
    'params.url must be an http or https address',
    () => readPushConfig({ ...webhook, url: 'ftp://x.example' }),
  ],
  ['params.url must be an http or https address', () => readPushConfig({ ...webhook, url: 'hook' })],
  [
    'params.authentication.scheme must be a string that is not empty',
    () => readPushConfig({ ...webhook, authentication: { credentials: 'secret' } }),
  ],
])('%s', (says, read) => {
  expect(read).toThrow(expect.objectContaining({ name: 'InvalidParamsError', message: says }))
})
