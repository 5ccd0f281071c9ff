/** The sizes that the published table rests on: HTTP+JSON bodies, ids of 26 characters. */
import { expect, test } from 'vitest'
import { chunksOf, onStage, SEED_JOB } from '../testing/agent-stage.ts'

/** The user's message as the official client writes it: no media type, no file name. */
const message = { messageId: 'M'.repeat(26), role: 'ROLE_USER', parts: [{ text: 't'.repeat(307) }] }

test('send 648, polls 637 and 790, the last one 931', async () => {
  const { value } = await onStage({ job: SEED_JOB }, async ({ call, at }) => {
    const params = { message, configuration: { returnImmediately: true } }
    const reply = await (await call('HTTP+JSON', 'SendMessage', params)).text()
    const { id } = (JSON.parse(reply) as { task: { id: string } }).task
    const poll = async () => (await (await call('HTTP+JSON', 'GetTask', { id })).text()).length
    const lengths = [reply.length, await poll()]
    for (const seconds of [19.999999, 20, 99.999999, 100]) {
      await at(seconds)
      lengths.push(await poll())
    }
    return lengths
  })
  expect(value).toEqual([648, 637, 637, 790, 790, 931])
})

test('six stream events, framing of 8 octets each included; five webhook posts without it', async () => {
  const posts: number[] = []
  const fetch: typeof globalThis.fetch = (_url, init) => {
    posts.push((init as { body: string }).body.length)
    return Promise.resolve(new Response(null, { status: 204 }))
  }
  const { value } = await onStage({ job: SEED_JOB, fetch }, async ({ call }) => {
    const configuration = { taskPushNotificationConfig: { url: 'https://client.example/hook' } }
    const lengths: number[] = []
    const stream = await call('HTTP+JSON', 'SendStreamingMessage', { message, configuration })
    for await (const { chunk } of chunksOf(stream)) lengths.push(chunk.length)
    return lengths
  })
  expect(value).toEqual([656, 184, 337, 202, 225, 348])
  expect(posts).toEqual([176, 329, 194, 217, 340])
})
