import type { Chance } from '../chance.ts'
import { seconds, type Document } from '../document.ts'

/** By then every drawn fault is over; what recurs is not drawn. */
const HEALED_AFTER_S = 60

export const drawFaults = (chance: Chance): Document[] =>
  chance.maybe(0.7) ? chance.some(chance.whole(1, 3), () => drawFault(chance)) : []

function drawFault(chance: Chance): Document {
  const fromS = chance.whole(1, HEALED_AFTER_S - 1)
  const window = { from: `${fromS}s`, to: `${chance.whole(fromS + 1, HEALED_AFTER_S)}s` }
  const link = chance.pick(['network', 'receiver'])
  const host = chance.pick(['agent', 'receiver'])
  return chance.pick<() => Document>([
    () => ({ ...window, down: host }),
    () => ({ ...window, dns: host }),
    () => ({ ...window, partition: link }),
    () => ({ ...window, hold: link }),
    () => ({ ...window, loss: '30%', link }),
    () => ({ ...window, duplicate: '30%', link }),
    () => ({ ...window, reorder: '30%', link }),
    () => ({ ...window, delay: chance.pick(['1s', '0ms..3s']), link }),
    () => ({
      ...window,
      answer: chance.pick([503, 429]),
      ...(chance.maybe(0.7) && { retryAfter: seconds(chance, 1, 5) }),
      ...(chance.maybe(0.3) && {
        operations: [chance.pick(['send', 'poll', 'stream', 'subscribe', 'post'])],
      }),
    }),
    () => ({ at: `${fromS}s`, cut: 'streams', as: chance.pick(['close', 'reset', 'silent']) }),
    () => ({
      at: `${fromS}s`,
      restart: 'agent',
      loses: chance.pick(['streams', 'streams', 'posts', 'tasks']),
    }),
    () => ({ ...window, restart: host }),
  ])()
}
