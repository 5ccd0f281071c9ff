/** Answers that send the requester elsewhere, followed as Node's `fetch` follows them. */
import { fetchFailed } from './failures.ts'
import { sendingOf, type Sending } from './sending.ts'

const REDIRECTS_MAX = 20

/** Lines that say something about a body, and go with it. */
const BODY_LINES = [
  'content-encoding',
  'content-language',
  'content-location',
  'content-type',
  'content-length',
]

/** Lines meant for one origin only. */
const ORIGIN_LINES = ['authorization', 'proxy-authorization', 'cookie', 'host']

export const isRedirect = (status: number): boolean => [301, 302, 303, 307, 308].includes(status)

/**
 * The request that an answer asks for instead; `undefined` if the answer is
 * the one to hand over.
 *
 * @throws TypeError as `fetch` does: too many redirects, an upload that cannot be sent again, redirects not wanted
 */
export async function redirectOf(sending: Sending, response: Response): Promise<Sending | undefined> {
  const { request, body, signal } = sending
  if (!isRedirect(response.status) || request.redirect === 'manual') return undefined
  if (request.redirect === 'error') throw fetchFailed(new Error('unexpected redirect'))
  const location = response.headers.get('location')
  if (location === null) return undefined
  if (sending.redirects === REDIRECTS_MAX) throw fetchFailed(new Error('redirect count exceeded'))
  const { status } = response
  if (status !== 303 && body.kind === 'upload')
    throw fetchFailed(new Error('an upload stream cannot be sent again to where the redirect leads'))

  const url = addressOf(location, sending.url)
  const headers = new Headers(request.headers)
  const becomesGet =
    ((status === 301 || status === 302) && request.method === 'POST') ||
    (status === 303 && !['GET', 'HEAD'].includes(request.method))
  if (becomesGet) for (const name of BODY_LINES) headers.delete(name)
  if (url.origin !== sending.url.origin) for (const name of ORIGIN_LINES) headers.delete(name)

  const next = await sendingOf(url, {
    method: becomesGet ? 'GET' : request.method,
    headers,
    redirect: 'follow',
    ...(!becomesGet && body.kind === 'whole' && { body: body.content }),
    ...(signal !== undefined && { signal }),
  })
  return { ...next, redirects: sending.redirects + 1 }
}

function addressOf(location: string, base: URL): URL {
  try {
    return new URL(location, base)
  } catch (error) {
    throw fetchFailed(error as Error)
  }
}
