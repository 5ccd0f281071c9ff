import { randomText } from '../kernel/ids.ts'
import type { RandomStream } from '../kernel/random.ts'
import type { Handler } from '../network/network.ts'
import type { TaskPushNotificationConfig } from '../protocol/a2a.ts'

/** Where the client listens for webhook posts. Its length is part of what a send with a webhook costs. */
export const RECEIVER_ORIGIN = 'https://client.example'

/** Every webhook address begins with this path. */
export const HOOKS_PATH = '/hooks/'

export interface Receiver {
  config: TaskPushNotificationConfig
  handle: Handler
}

/**
 * A webhook address with a token and Bearer credentials of its own. Url, token
 * and credentials are 35, 32 and 57 characters wide, so that a send with a
 * webhook has the same size in every run.
 */
export function createReceiver(random: RandomStream, accept: (body: unknown) => void): Receiver {
  const path = `${HOOKS_PATH}${randomText(random, 6)}`
  const token = randomText(random, 32)
  const credentials = randomText(random, 57)
  return {
    config: { url: `${RECEIVER_ORIGIN}${path}`, token, authentication: { scheme: 'Bearer', credentials } },
    async handle(request) {
      if (new URL(request.url).pathname !== path) return new Response(null, { status: 404, headers: EMPTY })
      if (request.headers.get('authorization') !== `Bearer ${credentials}`)
        return new Response(null, { status: 401, headers: EMPTY })
      const body: unknown = await request.json()
      accept(body)
      return new Response(null, { status: 204 })
    },
  }
}

/** Without a length an empty answer would be chunked. */
const EMPTY = { 'content-length': '0' }
