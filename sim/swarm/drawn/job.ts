import type { Chance } from '../chance.ts'
import { seconds, type Document } from '../document.ts'

/** Up to a minute and a half, with statuses and chunks at whole seconds, sometimes a pause, sometimes a length by chance. */
export function drawJob(chance: Chance): Document {
  if (chance.maybe(0.08)) {
    const duration = chance.pick(['exponential:20s', '5s..60s', '30s'])
    return { duration, updates: chance.whole(1, 6), outcome: drawOutcome(chance) }
  }
  return { updates: chance.maybe(0.12) ? drawPauses(chance) : drawUpdates(chance) }
}

const drawOutcome = (chance: Chance): string =>
  chance.pick(['completed', 'completed', 'completed', 'failed', 'canceled'])

function drawUpdates(chance: Chance): Document[] {
  const lengthS = chance.whole(1, 90)
  const instants = chance.some(chance.whole(0, 6), () => chance.whole(0, lengthS)).toSorted((a, b) => a - b)
  let chunks = 0
  const updates = instants.map((atS): Document => {
    const at = `${atS}s`
    if (chance.maybe(0.5))
      return { at, status: 'working', ...(chance.maybe(0.5) && { text: `step at ${at}` }) }
    chunks += 1
    const isNew = chunks === 1 || chance.maybe(0.2)
    return { at, artifact: 'report', text: `chunk ${chunks}`, ...(!isNew && { append: true }) }
  })
  return [...updates, { at: `${lengthS}s`, status: drawOutcome(chance) }]
}

/** One or two pauses, each ended by an answer or by somebody outside, and something after each. */
function drawPauses(chance: Chance): Document[] {
  const legs = chance.some(chance.whole(1, 2), (): Document[] => [
    {
      after: seconds(chance, 1, 20),
      status: chance.pick(['input-required', 'input-required', 'auth-required']),
      resume: { after: chance.pick(['0s', '2s', '10s']) },
    },
    ...(chance.maybe(0.5) ? [{ after: seconds(chance, 0, 10), status: 'working' }] : []),
  ])
  return [...legs.flat(), { after: seconds(chance, 1, 20), status: drawOutcome(chance) }]
}
