import { expect, test } from 'vitest'
import { methodOfJsonRpc, parseCall, resultEnvelope } from './json-rpc.ts'

test.each([['"5"'], ['5'], ['null']])('the id %s comes back as it was given', (id) => {
  const envelope = parseCall(`{"jsonrpc":"2.0","id":${id},"method":"GetTask","params":{"id":"t"}}`)
  if (!('call' in envelope)) throw envelope.error
  expect(envelope.call).toMatchObject({ method: 'GetTask', params: { id: 't' } })
  expect(resultEnvelope(envelope.call.id, '{}')).toBe(`{"jsonrpc":"2.0","id":${id},"result":{}}`)
})

test.each([
  ['no JSON', '{', 'JSONParseError', null],
  ['a batch', '[]', 'InvalidRequestError', null],
  ['no object', '"GetTask"', 'InvalidRequestError', null],
  ['no id', '{"jsonrpc":"2.0","method":"GetTask"}', 'InvalidRequestError', null],
  ['a broken id', '{"jsonrpc":"2.0","id":1.5,"method":"GetTask"}', 'InvalidRequestError', null],
  ['the wrong version', '{"jsonrpc":"1.0","id":3,"method":"GetTask"}', 'InvalidRequestError', 3],
  ['no method', '{"jsonrpc":"2.0","id":3}', 'InvalidRequestError', 3],
])('%s is refused under the id it came with, if it has one', (_, body, name, id) => {
  expect(parseCall(body)).toMatchObject({ id, error: { name } })
})

test('the method is the outermost one, whatever the order of members', () => {
  const nested = '"params":{"metadata":{"method":"CancelTask"}}'
  expect(methodOfJsonRpc(`{"jsonrpc":"2.0","method":"GetTask",${nested},"id":1}`)).toBe('GetTask')
  expect(methodOfJsonRpc(`{${nested},"id":1,"method":"GetTask","jsonrpc":"2.0"}`)).toBe('GetTask')
  expect(methodOfJsonRpc('{"jsonrpc":"2.0","id":1}')).toBeUndefined()
})
