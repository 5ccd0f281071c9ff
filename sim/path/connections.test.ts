import { expect, test } from 'vitest'
import { createConnections, IDLE_LIMIT_US, type Connection } from './connections.ts'

const S = 1_000_000
const AGENT = 'https://agent.example'
const take = (connections: ReturnType<typeof createConnections>, atUs: number, origin = AGENT) =>
  connections.take('client', 'agent', origin, atUs)
/** As an exchange does when its host refuses it. */
function refuse(connection: Connection, atUs: number): void {
  connection.wasNone()
  connection.close(atUs)
}

const spans = (connections: ReturnType<typeof createConnections>, atUs: number) =>
  connections.close(atUs).map(({ openedUs, closedUs, exchanges }) => [openedUs / S, closedUs / S, exchanges])

test('an idle connection is used again until just before its limit', () => {
  const connections = createConnections()
  take(connections, 0).free(1 * S)
  take(connections, 1 * S + IDLE_LIMIT_US - 1).free(6 * S)
  expect(spans(connections, 6 * S)).toEqual([[0, 10, 2]])
})

test('at exactly 4 s it has closed, and the next exchange opens another', () => {
  const connections = createConnections()
  take(connections, 0).free(1 * S)
  take(connections, 5 * S).free(5 * S)
  expect(spans(connections, 5 * S)).toEqual([
    [0, 5, 1],
    [5, 9, 1],
  ])
})

test('polls every 7 s open a connection each, every second share one', () => {
  const polls = (everyS: number) => {
    const connections = createConnections()
    for (let atS = 0; atS <= 28; atS += everyS) take(connections, atS * S).free(atS * S)
    return spans(connections, 28 * S)
  }
  expect(polls(7)).toHaveLength(5)
  expect(polls(1)).toEqual([[0, 32, 29]])
})

test('exchanges at the same time need a connection each; the first opened is used again first', () => {
  const connections = createConnections()
  const first = take(connections, 0)
  const second = take(connections, 0)
  second.free(1 * S)
  first.free(2 * S)
  take(connections, 3 * S).free(3 * S)
  expect(spans(connections, 3 * S)).toEqual([
    [0, 5, 1],
    [0, 7, 2],
  ])
})

test('connections belong to a party and an origin', () => {
  const connections = createConnections()
  take(connections, 0).free(0)
  take(connections, 0, 'https://other.example').free(0)
  connections.take('agent', 'agent', AGENT, 0).free(0)
  expect(connections.close(0)).toMatchObject([{ from: 'client' }, { from: 'client' }, { from: 'agent' }])
})

test('a broken-off exchange closes its connection at once; a refused one never had any', () => {
  const connections = createConnections()
  take(connections, 0).close(2 * S)
  refuse(take(connections, 2 * S), 2 * S)
  take(connections, 3 * S).free(3 * S)
  expect(spans(connections, 3 * S)).toEqual([
    [0, 2, 1],
    [3, 7, 1],
  ])
})

test('a refusal does not take back what its connection carried before', () => {
  const connections = createConnections()
  take(connections, 0).free(1 * S)
  refuse(take(connections, 2 * S), 2 * S)
  take(connections, 3 * S).free(3 * S)
  expect(spans(connections, 3 * S)).toEqual([
    [0, 2, 1],
    [3, 7, 1],
  ])
})

test('at the end a busy connection closes, an idle one is held for its whole limit', () => {
  const connections = createConnections()
  take(connections, 0)
  take(connections, 1 * S).free(9 * S)
  expect(spans(connections, 10 * S)).toEqual([
    [0, 10, 1],
    [1, 13, 1],
  ])
})
