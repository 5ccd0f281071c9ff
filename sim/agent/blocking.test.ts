/** How long a send is held (specification 3.2.2, and the limits agents and clients set). */
import { expect, test } from 'vitest'
import type { Binding, Task } from '../protocol/a2a.ts'
import { MESSAGE, onStage, resultOf } from '../testing/agent-stage.ts'
import { jobOf, seconds, status } from '../testing/scenario.ts'
import type { AgentSettings } from './settings.ts'

const JOB = jobOf([status(seconds(20), 'working'), status(seconds(60), 'completed')])
const HEADERS = { 'A2A-Version': '1.0', 'Content-Type': 'application/json' }

const SENDS: [AgentSettings['blocking'], string | undefined, number, string][] = [
  [{ holdUs: undefined }, undefined, 60, 'TASK_STATE_COMPLETED'],
  [{ holdUs: undefined }, 'wait=45', 45, 'TASK_STATE_WORKING'],
  [{ holdUs: seconds(60) }, undefined, 60, 'TASK_STATE_COMPLETED'],
  [{ holdUs: seconds(30) }, undefined, 30, 'TASK_STATE_WORKING'],
  [{ holdUs: seconds(30) }, 'wait=45', 30, 'TASK_STATE_WORKING'],
  [{ holdUs: seconds(30) }, 'wait=0.5', 0.5, 'TASK_STATE_SUBMITTED'],
  [{ holdUs: seconds(30) }, 'wait=0', 0, 'TASK_STATE_SUBMITTED'],
  [false, 'wait=45', 0, 'TASK_STATE_SUBMITTED'],
]

test.each(
  SENDS.flatMap((row) =>
    (['HTTP+JSON', 'JSONRPC'] as const).map((binding): [...typeof row, Binding] => [...row, binding]),
  ),
)(
  'held %j, asked for %s: answered after %d s, %s (%#)',
  async (blocking, prefer, atSeconds, state, binding) => {
    const { leftovers } = await onStage(
      { job: JOB, settings: { blocking } },
      async ({ raw, agent, clock }) => {
        const headers = prefer === undefined ? HEADERS : { ...HEADERS, prefer }
        const params = { message: MESSAGE }
        const [path, body] =
          binding === 'HTTP+JSON'
            ? ['/rest/message:send', params]
            : ['/a2a/v1', { jsonrpc: '2.0', id: 1, method: 'SendMessage', params }]
        const response = await raw(path, { method: 'POST', headers, body: JSON.stringify(body) })
        const said = (await response.json()) as { task: Task; result?: { task: Task } }
        const { task } = said.result ?? said
        expect([clock.nowUs(), task.status.state]).toEqual([seconds(atSeconds), state])
        await agent.idle()
      },
    )
    expect(leftovers).toEqual({ events: 0, timers: 0, waiting: [] })
  },
)

test('an agent that returns little history cuts it in whatever it returns', async () => {
  await onStage({ job: JOB, settings: { history: 1 } }, async ({ ask, send, call, at }) => {
    const { id } = await send()
    const more = { message: { ...MESSAGE, messageId: 'N'.repeat(26), taskId: id } }
    const immediate = { ...more, configuration: { returnImmediately: true } }
    const { task } = resultOf<{ task: Task }>(await ask('HTTP+JSON', 'SendMessage', immediate))
    const idsIn = ({ history }: Task) => history?.map(({ messageId }) => messageId)
    expect(idsIn(task)).toEqual(['N'.repeat(26)])
    const asked = async (historyLength: number) =>
      idsIn(resultOf<Task>(await ask('JSONRPC', 'GetTask', { id, historyLength })))
    expect(await asked(5)).toEqual(['N'.repeat(26)])
    expect(await asked(0)).toBeUndefined()
    const { tasks } = resultOf<{ tasks: Task[] }>(await ask('HTTP+JSON', 'ListTasks', { historyLength: 9 }))
    expect(tasks.map(idsIn)).toEqual([['N'.repeat(26)]])
    const stream = await call('HTTP+JSON', 'SubscribeToTask', { id })
    await at(60)
    expect((await stream.text()).split('\n')[0]).not.toContain('M'.repeat(26))
  })
})
