import { expect, test } from 'vitest'
import { inVirtualTime } from './virtual-time.ts'
import { waitFor } from './wait.ts'

test('gives what comes, and leaves nothing behind', async () => {
  const end = await inVirtualTime({ horizonUs: 1_000_000 }, async (clock, signal) => {
    const coming = clock.sleep(250).then(() => 'a post')
    return [await waitFor(clock, coming, 'somebody', signal), clock.nowUs()]
  })
  expect(end).toMatchObject({ kind: 'settled', value: ['a post', 250] })
  expect(end.leftovers).toEqual({ events: 0, timers: 0, waiting: [] })
})

test('what never comes is waited for to the end of the run, not a deadlock', async () => {
  const end = await inVirtualTime({ horizonUs: 1_000_000 }, (clock, signal) =>
    waitFor(clock, new Promise(() => {}), 'the client waits for a post', signal),
  )
  expect(end).toMatchObject({ kind: 'horizon', atUs: 1_000_000, waiting: ['the client waits for a post'] })
  expect(end.leftovers).toEqual({ events: 0, timers: 0, waiting: [] })
})

test('rejects as what it waits for does', async () => {
  const failing = inVirtualTime({ horizonUs: 1_000_000 }, (clock, signal) =>
    waitFor(
      clock,
      clock.sleep(5).then(() => Promise.reject(new Error('broken'))),
      'somebody',
      signal,
    ),
  )
  await expect(failing).rejects.toThrow('broken')
})
