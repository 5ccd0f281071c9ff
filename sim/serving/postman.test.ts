import { afterEach, expect, test } from 'vitest'
import { listen, type Listening } from '../network/sockets.ts'
import { createPostman } from './postman.ts'

let receiver: Listening | undefined
afterEach(async () => {
  await receiver?.close()
  receiver = undefined
})

const receiving = async (answer: () => Promise<Response>): Promise<string> => {
  receiver = await listen(answer, { host: '127.0.0.1', port: 0 })
  return receiver.origin
}

const heldBack: string[] = []
const postmanOf = (remoteWebhooks: boolean) =>
  createPostman({ remoteWebhooks, onHeldBack: (url) => heldBack.push(url) })

test.each([
  [200, 204],
  [204, 204],
  [302, 502],
  [404, 502],
  [599, 502],
])('of an answer %d only whether it is a success comes back', async (status, seen) => {
  const origin = await receiving(async () => new Response(null, { status, headers: { location: '/other' } }))
  const postman = postmanOf(false)
  const response = await postman.fetch(origin, { method: 'POST', body: '{}', redirect: 'manual' })
  expect(response.status).toBe(seen)
  postman.close()
})

test.each([
  'http://10.0.0.7/hook',
  'http://169.254.169.254/latest/',
  'http://localhost.example/hook',
  'http://127.0.0.1.example/hook',
  'http://[fe80::1]/hook',
  'http://[::ffff:10.0.0.7]/hook',
  'https://client.example/hook',
])('%s is not this machine: held back as what fetch cannot reach', async (url) => {
  heldBack.length = 0
  const postman = postmanOf(false)
  await expect(postman.fetch(url, { method: 'POST', body: '{}' })).rejects.toBeInstanceOf(TypeError)
  expect(heldBack).toEqual([new URL(url).href])
  postman.close()
})

test.each([
  'http://localhost:1/',
  'http://127.1.2.3:1/',
  'http://0x7f.1:1/',
  'http://[::1]:1/',
  'http://[::ffff:127.0.0.1]:1/',
])('%s is this machine', async (url) => {
  heldBack.length = 0
  const postman = postmanOf(false)
  // Nobody listens there, which is for `fetch` to say.
  await expect(postman.fetch(url, { method: 'POST', body: '{}' })).rejects.toThrow(/failed|not allowed/)
  expect(heldBack).toEqual([])
  postman.close()
})

test('the end breaks off a post that is under way, as an abort, and lets no other begin', async () => {
  let begun = () => {}
  const underway = new Promise<void>((resolve) => (begun = resolve))
  const origin = await receiving(() => {
    begun()
    return new Promise(() => {})
  })
  const postman = postmanOf(true)
  const post = postman.fetch(origin, { method: 'POST', body: '{}' })
  await underway
  postman.close()
  await expect(post).rejects.toMatchObject({ name: 'AbortError' })
  await expect(postman.fetch(origin, { method: 'POST', body: '{}' })).rejects.toBeInstanceOf(TypeError)
})
