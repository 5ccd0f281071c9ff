import { describe, expect, test } from 'vitest'
import { A2AError, ERRORS, type ErrorName, invalidParams } from './errors.ts'
import { errorBody } from './http-json.ts'
import { errorEnvelope } from './json-rpc.ts'

const names = Object.keys(ERRORS) as ErrorName[]

test('nine errors of A2A and five of JSON-RPC, each with a code and a reason of its own', () => {
  const a2a = names.filter((name) => ERRORS[name].code > -32100)
  expect(a2a.map((name) => ERRORS[name].code)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9].map((n) => -32000 - n))
  expect(new Set(names.map((name) => ERRORS[name].code)).size).toBe(14)
  expect(new Set(names.map((name) => ERRORS[name].reason)).size).toBe(14)
})

test('the reason is the name in capitals, without Error', () => {
  for (const name of names) {
    const words = name.replace(/Error$/, '').replaceAll(/(?<=[a-z])(?=[A-Z])|(?<=JSON)/g, '_')
    expect(ERRORS[name].reason).toBe(words.toUpperCase())
  }
})

describe('an error in both shapes', () => {
  const info = {
    '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
    reason: 'TASK_NOT_FOUND',
    domain: 'a2a-protocol.org',
  }

  test('JSON-RPC: code, message and details as data', () => {
    expect(JSON.parse(errorEnvelope('7', new A2AError('TaskNotFoundError')))).toEqual({
      jsonrpc: '2.0',
      id: '7',
      error: { code: -32001, message: 'Task not found', data: [info] },
    })
  })

  test('HTTP+JSON: HTTP status as code, gRPC status, details', () => {
    expect(JSON.parse(errorBody(new A2AError('TaskNotFoundError')))).toEqual({
      error: { code: 404, status: 'NOT_FOUND', message: 'Task not found', details: [info] },
    })
  })

  test('a wrong member is named in the details', () => {
    const { error } = JSON.parse(errorBody(invalidParams('message.parts', 'must be an array'))) as {
      error: { message: string; details: object[] }
    }
    expect(error.message).toBe('message.parts must be an array')
    expect(error.details[1]).toEqual({
      '@type': 'type.googleapis.com/google.rpc.BadRequest',
      fieldViolations: [{ field: 'message.parts', description: 'must be an array' }],
    })
  })
})
