import { expect, test } from 'vitest'
import { drawScenario, goesWrong, PLANTS, shrink } from './index.ts'

test('what is left is all needed', async () => {
  const document = {
    seed: 7,
    job: { updates: [{ at: '1s' }, { at: '2s' }, { at: '3s' }] },
    network: { latency: '20ms', hops: [{ name: 'a', idle: '5s' }] },
    mechanisms: ['stream:heartbeat=5s,reconnect=1s,watchdog=9s+push:retry=2s,timeout=5s>poll:5s'],
  }
  let asked = 0
  const smallest = await shrink(document, (smaller) => {
    asked += 1
    const text = JSON.stringify(smaller)
    return Promise.resolve(/"2s"/.test(text) && /reconnect=1s/.test(text) && /timeout=5s/.test(text))
  })
  expect(smallest).toEqual({
    job: { updates: [{ at: '2s' }] },
    mechanisms: ['stream:heartbeat=5s,reconnect=1s+push:retry=2s,timeout=5s'],
  })
  expect(asked).toBeLessThan(200)
})

test('what cannot be smaller stays as it is', async () => {
  const document = { job: '20s', mechanisms: ['poll'] }
  expect(await shrink(document, () => Promise.resolve(false))).toBe(document)
})

test('a planted mistake shrinks to a scenario one can read', { timeout: 60_000 }, async () => {
  const plant = PLANTS.find(({ name }) => name === 'watchdog-asleep')
  const smallest = await shrink(drawScenario(186), (smaller) =>
    goesWrong(186, smaller, 'end-is-learned', plant),
  )
  expect(smallest).toMatchInlineSnapshot(`
    {
      "faults": [
        {
          "from": "39s",
          "partition": "network",
          "to": "56s",
        },
      ],
      "job": {
        "updates": [
          {
            "at": "66s",
            "status": "failed",
          },
        ],
      },
      "mechanisms": [
        "stream:heartbeat=6s,watchdog=19s,reconnect=1s,timeout=7s",
      ],
    }
  `)
})
