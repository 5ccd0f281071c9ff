/**
 * Where somebody gives the leave that a task in AUTH_REQUIRED waits for. The
 * specification has that happen outside the protocol (7.6), so this is a page
 * and no operation: a button for people, one POST for programs.
 */
import type { Handler } from '../network/network.ts'

const LEAVE_PATH = '/leave/'

/** The page for one task. */
export const leaveUrl = (origin: string, taskId: string): string => `${origin}${LEAVE_PATH}${taskId}`

/**
 * A handler that also has the pages.
 *
 * @param give gives leave for a task; false if it waits for none, which is all an unknown task is told too
 */
export const withLeavePage =
  (handle: Handler, give: (taskId: string) => boolean): Handler =>
  async (request) => {
    const { pathname } = new URL(request.url)
    if (!pathname.startsWith(LEAVE_PATH)) return handle(request)
    const taskId = pathname.slice(LEAVE_PATH.length)
    switch (request.method) {
      case 'GET':
        return page(200, '<form method="post"><button>Give leave</button></form>')
      case 'POST':
        return give(taskId)
          ? page(200, '<p>Leave is given, the task goes on.</p>')
          : page(404, '<p>No task waits for leave here.</p>')
      default:
        return new Response(null, { status: 405, headers: { allow: 'GET, POST', 'content-length': '0' } })
    }
  }

/** `body` is ours: nothing of the request is ever shown. */
const page = (status: number, body: string): Response => {
  const text = `<!doctype html><title>Venue finder</title>${body}\n`
  return new Response(text, {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-length': String(Buffer.byteLength(text)),
    },
  })
}
