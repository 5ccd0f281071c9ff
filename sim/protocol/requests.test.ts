import { expect, test } from 'vitest'
import { readGetTask, readPushConfig, readSendMessage } from './requests.ts'

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
