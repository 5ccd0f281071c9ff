/** What the agent can do at once, and what becomes of who finds no room. */
import * as z from 'zod'
import { fixed } from '../../kernel/distribution.ts'
import type { Capacity } from '../../policies/desk.ts'
import { distribution, distributionWord, resolveDistribution } from '../distribution.ts'
import { RefusalMap, resolveRefusal } from '../policies/hop.ts'
import { count, either, wholeNumber } from '../schema-parts.ts'
import type { Surroundings } from '../surroundings.ts'

/** What is asked of an agent, in the words of a fault's `operations`. */
const OPERATIONS = ['send', 'poll', 'stream', 'subscribe', 'other'] as const

const serviceTime = (operation: string) =>
  distribution('world', `how long a handler takes for ${operation}`).optional()

const ServiceMap = z.strictObject({
  send: serviceTime('a send'),
  poll: serviceTime('a poll'),
  stream: serviceTime('a send that opens a stream'),
  subscribe: serviceTime('a stream opened again'),
  other: serviceTime('everything else'),
})

export const CapacityMap = z.strictObject({
  handlers: count('requests worked on at once').optional(),
  service: either('a duration, a distribution, or a map of them by operation', [
    ...distributionWord('world'),
    ServiceMap,
  ])
    .meta({ description: 'how long a handler takes: a distribution, or one for each operation' })
    .optional(),
  queue: wholeNumber(0, 'expected how many requests may wait: a whole number from 0 on')
    .meta({ description: 'requests that may wait for a handler' })
    .optional(),
  connections: count('requests under way at once, open streams included').optional(),
  full: RefusalMap.meta({
    description: 'what who finds no room is told: 503, 429, refuse or wait',
  }).optional(),
})

export function resolveCapacity(
  input: z.output<typeof CapacityMap>,
  { say, columnAt }: Surroundings,
): Capacity {
  const { handlers, service, queue, connections, full } = input
  const path = ['agent', 'capacity'] as const
  if (queue !== undefined && handlers === undefined)
    say([...path, 'queue'], 'a queue for what? add handlers: 16', true)
  if (full !== undefined && handlers === undefined && connections === undefined)
    say([...path, 'full'], 'full of what? add connections: 5000, or handlers: 16 with queue: 100', true)
  const timeOf = (value: unknown, ...keys: string[]) =>
    resolveDistribution(value, columnAt([...path, 'service', ...keys]))
  const services: Capacity['service'] =
    service === undefined
      ? []
      : typeof service === 'object'
        ? OPERATIONS.map((operation) => ({
            operations: [operation],
            time: service[operation] === undefined ? fixed(0) : timeOf(service[operation], operation),
          }))
        : [{ operations: undefined, time: timeOf(service) }]
  return { handlers, service: services, queue, connections, full: resolveRefusal(full) }
}
