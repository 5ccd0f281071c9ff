import { expect, test } from 'vitest'
import { operationOf, saysOf } from './operations.ts'
import { resultEnvelope } from './json-rpc.ts'
import { formatEvent } from './sse.ts'

const call = (method: string) => JSON.stringify({ jsonrpc: '2.0', method, params: { id: 't' }, id: 2 })

test.each([
  ['GET', '/rest/tasks/42?historyLength=0', '', 'GetTask'],
  ['POST', '/rest/message:stream', '{}', 'SendStreamingMessage'],
  ['POST', '/a2a/v1', call('SubscribeToTask'), 'SubscribeToTask'],
  ['GET', '/.well-known/agent-card.json', '', 'agent card'],
  ['GET', '/rest/nowhere?x=1', '', 'GET /rest/nowhere?x=1'],
  ['POST', '/a2a/v1', call('tasks/get'), 'POST /a2a/v1'],
  ['POST', '/a2a/v1', '{', 'POST /a2a/v1'],
  ['POST', '/hooks/1', '{}', 'POST /hooks/1'],
])('%s %s is %#: named for people', (method, pathAndQuery, body, operation) => {
  expect(operationOf(method, pathAndQuery, body)).toBe(operation)
})

const ids = { taskId: 't', contextId: 'c' }

test.each([
  ['task', { task: { id: 't', status: { state: 'TASK_STATE_SUBMITTED' } } }],
  ['working', { statusUpdate: { ...ids, status: { state: 'TASK_STATE_WORKING' } } }],
  ['input-required', { statusUpdate: { ...ids, status: { state: 'TASK_STATE_INPUT_REQUIRED' } } }],
  ['artifact list', { artifactUpdate: { ...ids, artifact: { artifactId: 'list', parts: [{ text: '' }] } } }],
  ['message', { message: { messageId: 'm', role: 'ROLE_AGENT', parts: [{ text: 'hello' }] } }],
])('an event says %s in either binding', (says, event) => {
  const json = JSON.stringify(event)
  expect(saysOf(formatEvent(json))).toBe(says)
  expect(saysOf(formatEvent(resultEnvelope(1, json)))).toBe(says)
})

test('a comment is a heartbeat, and an error says so', () => {
  expect(saysOf(': ping\n\n')).toBe('heartbeat')
  expect(saysOf('data: no JSON\n\n')).toBe('something else')
  expect(saysOf('data: {"not":"ours"}\n\n')).toBe('something else')
  expect(saysOf(formatEvent('{"jsonrpc":"2.0","id":1,"error":{"code":-32603}}'))).toBe('error')
})
