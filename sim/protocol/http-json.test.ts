import fc from 'fast-check'
import { expect, test } from 'vitest'
import { requestOf, routeOf } from './http-json.ts'
import { type Operation, OPERATIONS } from './operation.ts'

/** What each operation's request may hold; ids are any text, colons, slashes and all. */
const id = fc.string({ minLength: 1, unit: 'grapheme' })
const paramsOf: Record<Operation, fc.Arbitrary<Record<string, unknown>>> = {
  SendMessage: fc.record({ message: fc.record({ messageId: id }) }),
  SendStreamingMessage: fc.record({ message: fc.record({ messageId: id }) }),
  GetTask: fc.record({ id, historyLength: fc.nat() }, { requiredKeys: ['id'] }),
  ListTasks: fc.record(
    {
      contextId: id,
      pageSize: fc.nat(),
      includeArtifacts: fc.boolean(),
      status: fc.constant('TASK_STATE_WORKING'),
    },
    { requiredKeys: [] },
  ),
  CancelTask: fc.record({ id, metadata: fc.constant({ why: 'late' }) }, { requiredKeys: ['id'] }),
  SubscribeToTask: fc.record({ id }),
  CreateTaskPushNotificationConfig: fc.record({ taskId: id, url: fc.webUrl() }),
  GetTaskPushNotificationConfig: fc.record({ taskId: id, id }),
  ListTaskPushNotificationConfigs: fc.record(
    { taskId: id, pageSize: fc.nat() },
    { requiredKeys: ['taskId'] },
  ),
  DeleteTaskPushNotificationConfig: fc.record({ taskId: id, id }),
  GetExtendedAgentCard: fc.constant({}),
}

test.each(OPERATIONS)('%s comes back from its own request line', (operation) => {
  fc.assert(
    fc.property(paramsOf[operation], fc.option(id), (asked, tenant) => {
      const params = tenant === null ? asked : { ...asked, tenant }
      const request = requestOf(operation, params)
      const [path, query] = request.pathAndQuery.split('?') as [string, string | undefined]
      const route = routeOf(request.method, path, query)
      expect(route?.operation).toBe(operation)
      expect({ ...request.body, ...route?.params }).toEqual(params)
      expect(route?.body).toBe(request.body !== undefined)
    }),
    { seed: 1, numRuns: 200 },
  )
})

test('a suffix is never taken for a part of an id', () => {
  expect(routeOf('GET', '/tasks/42:subscribe')?.operation).toBe('SubscribeToTask')
  expect(routeOf('POST', '/tasks/42:subscribe')?.operation).toBe('SubscribeToTask')
  expect(routeOf('GET', '/tasks/42:cancel')).toBeUndefined()
  expect(routeOf('GET', '/tasks/42%3Acancel')?.params).toEqual({ id: '42:cancel' })
})

test('what is an address without a tenant is never taken for one with', () => {
  expect(routeOf('GET', '/acme/tasks/42')?.params).toEqual({ tenant: 'acme', id: '42' })
  expect(routeOf('GET', '/tasks/42')?.params).toEqual({ id: '42' })
  expect(routeOf('GET', '/tasks/tasks')?.operation).toBe('GetTask')
})

test('a query that says one thing twice is refused', () => {
  expect(() => routeOf('GET', '/acme/tasks', 'tenant=else')).toThrow('tenant must be given once')
  expect(() => routeOf('GET', '/tasks', 'pageSize=1&pageSize=2')).toThrow('pageSize must be given once')
  expect(routeOf('GET', '/acme/tasks', 'tenant=acme')?.params).toEqual({ tenant: 'acme' })
})

test.each([
  ['GET', '/message:send'],
  ['POST', '/message:sending'],
  ['GET', '/tasks/'],
  ['GET', '/tasks/%E0%A4%A'],
  ['GET', '/tasks/42/'],
  ['PUT', '/tasks/42'],
])('%s %s is no operation', (method, path) => {
  expect(routeOf(method, path)).toBeUndefined()
})

test('query values that are not what they must be stay text, for the operation to refuse', () => {
  expect(routeOf('GET', '/tasks/42', 'historyLength=many&unknown=1')?.params).toEqual({
    id: '42',
    historyLength: 'many',
  })
  expect(routeOf('GET', '/tasks/42', 'historyLength=-1')?.params).toEqual({ id: '42', historyLength: -1 })
})
