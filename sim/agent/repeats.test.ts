import { expect, test } from 'vitest'
import { MESSAGE, onStage } from '../testing/agent-stage.ts'
import { jobOf, seconds, status } from '../testing/scenario.ts'
import { settingsWith } from './settings.ts'

const job = jobOf([status(seconds(1), 'working'), status(seconds(10), 'completed')])

const tasksOfTwoSends = async (recognisesRepeats: boolean, second = MESSAGE) => {
  const { value } = await onStage(
    { job, settings: settingsWith({ recognisesRepeats }) },
    async ({ call, at }) => {
      const send = async (message: object) => {
        const params = { message, configuration: { returnImmediately: true } }
        const { task } = (await (await call('HTTP+JSON', 'SendMessage', params)).json()) as {
          task: { id: string }
        }
        return task.id
      }
      const first = await send(MESSAGE)
      await at(5)
      return [first, await send(second)]
    },
  )
  return new Set(value).size
}

test('a message that comes twice begins one task where repeats are recognised, else two', async () => {
  expect(await tasksOfTwoSends(true)).toBe(1)
  expect(await tasksOfTwoSends(false)).toBe(2)
})

test('another message begins another task', async () => {
  expect(await tasksOfTwoSends(true, { ...MESSAGE, messageId: 'N'.repeat(26) })).toBe(2)
})
