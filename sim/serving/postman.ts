import { createRealClock } from '../kernel/real-clock.ts'
import { US_PER_SECOND } from '../kernel/units.ts'

/** How long one post may take in the machine's own time, as the agent has it in its own (specification 13.2). */
const TIMEOUT_US = 10 * US_PER_SECOND

export interface Postman {
  /** The agent's `fetch` for webhook posts. */
  fetch: typeof globalThis.fetch
  /** Breaks off what is under way, and posts nothing more. */
  close: () => void
}

/**
 * Carries webhook posts to real receivers. Those live in real time however fast
 * the agent does, so the patience of a post is counted here and the agent's own
 * is not heard. Only the status of an answer comes back.
 */
export function createPostman({
  remoteWebhooks,
  onHeldBack,
}: {
  remoteWebhooks: boolean
  onHeldBack: (url: string) => void
}): Postman {
  const time = createRealClock()
  const underway = new Set<AbortController>()
  let closed = false

  return {
    async fetch(input, init) {
      const request = new Request(input, { ...init, signal: null })
      if (closed) throw new TypeError('no posts any more')
      if (!remoteWebhooks && !isThisMachine(request.url)) {
        onHeldBack(request.url)
        throw new TypeError(`${request.url} is not on this machine`)
      }
      const post = new AbortController()
      underway.add(post)
      const relax = time.clock.at(time.clock.nowUs() + TIMEOUT_US, () => post.abort())
      try {
        const response = await fetch(request, { signal: post.signal })
        await response.body?.cancel()
        // Whatever number the receiver made up: the agent asks whether it is 2xx.
        return new Response(null, { status: response.ok ? 204 : 502 })
      } finally {
        relax()
        underway.delete(post)
      }
    },
    close() {
      closed = true
      for (const post of underway) post.abort()
      time.close()
    },
  }
}

/** Every spelling of a loopback address, as `URL` has normalised it; `localhost` is the one name taken for one. */
const isThisMachine = (url: string): boolean =>
  /^(localhost|127\.\d+\.\d+\.\d+|\[::1\]|\[::ffff:7f[0-9a-f]{2}:[0-9a-f]+\])$/.test(new URL(url).hostname)
