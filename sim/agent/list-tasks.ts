/**
 * One page of ListTasks (specification 3.1.4). The newest status comes first;
 * of equal instants the task created last.
 *
 * The cursor is a place in that order, not an offset: the task a page ended
 * with, and the timestamp its status had then. Tasks that come later stand
 * before it and move nothing behind it, so a cursor never goes stale. A task
 * whose status changes moves to the front: who pages on has passed it.
 */
import type { Task } from '../protocol/a2a.ts'
import { invalidParams } from '../protocol/errors.ts'
import { isObject } from '../protocol/json-text.ts'
import type { ListTasksRequest } from '../protocol/requests.ts'
import { withHistory } from './history.ts'

export interface ListedTask {
  task: Task
  /** Order of creation: breaks the ties of status timestamps. */
  serial: number
}

/** All four members are always there (specification 3.1.4). */
export interface ListTasksResponse {
  tasks: Task[]
  /** Empty on the last page. */
  nextPageToken: string
  /** The page size that held, however many tasks there are. */
  pageSize: number
  /** How many tasks all pages hold together. */
  totalSize: number
}

/** A place in the order of tasks. */
interface Place {
  timestamp: string
  serial: number
}

/**
 * @param tasks those the caller may see, in any order
 * @throws A2AError InvalidParamsError for a page token that names none of them
 */
export function listTasks(tasks: readonly ListedTask[], request: ListTasksRequest): ListTasksResponse {
  const { pageSize, pageToken, historyLength, includeArtifacts } = request
  const after = pageToken === undefined ? undefined : placeOf(pageToken, tasks)
  const found = tasks
    .filter(({ task }) => isWanted(task, request))
    .toSorted((a, b) => compare(placeOfTask(a), placeOfTask(b)))
  const begin = after === undefined ? 0 : found.findIndex((listed) => compare(after, placeOfTask(listed)) < 0)
  const page = begin === -1 ? [] : found.slice(begin, begin + pageSize)
  const last = page.at(-1)
  return {
    tasks: page.map(({ task }) => withArtifacts(withHistory(task, historyLength), includeArtifacts)),
    nextPageToken: last === undefined || last === found.at(-1) ? '' : tokenOf(last.task),
    pageSize,
    totalSize: found.length,
  }
}

function isWanted(task: Task, { contextId, status, statusTimestampAfter }: ListTasksRequest): boolean {
  if (contextId !== undefined && task.contextId !== contextId) return false
  if (status !== undefined && task.status.state !== status) return false
  // In spite of its name the filter keeps what is at that very instant.
  return (
    statusTimestampAfter === undefined ||
    inNanoseconds(timestampOf(task)) >= inNanoseconds(statusTimestampAfter)
  )
}

const timestampOf = (task: Task): string => task.status.timestamp ?? ''

const placeOfTask = ({ task, serial }: ListedTask): Place => ({ timestamp: timestampOf(task), serial })

/** Below zero if `a` stands before `b`. Our own timestamps all have 24 characters, so text compares like time. */
const compare = (a: Place, b: Place): number =>
  a.timestamp === b.timestamp ? b.serial - a.serial : a.timestamp > b.timestamp ? -1 : 1

/** A timestamp in UTC with as many digits as any can have, so that text compares like time. */
function inNanoseconds(timestamp: string): string {
  const [seconds = '', fraction = ''] = timestamp.replace('Z', '').split('.')
  return `${seconds}.${fraction.padEnd(9, '0')}`
}

/** The member stays away when it is not asked for; asked for, it is there even if empty. */
function withArtifacts(task: Task, include: boolean): Task {
  const { artifacts = [], ...rest } = task
  return include ? { ...rest, artifacts } : rest
}

/** Made of what its reader knows anyway: a running number would tell how many tasks others have. */
const tokenOf = (task: Task): string =>
  Buffer.from(JSON.stringify({ id: task.id, at: timestampOf(task) })).toString('base64url')

function placeOf(token: string, tasks: readonly ListedTask[]): Place {
  const cursor = cursorOf(token)
  const listed = tasks.find(({ task }) => task.id === cursor?.id)
  if (cursor === undefined || listed === undefined)
    throw invalidParams('pageToken', 'must be a nextPageToken this agent gave you, or be left out')
  return { timestamp: cursor.at, serial: listed.serial }
}

function cursorOf(token: string): { id: string; at: string } | undefined {
  let cursor: unknown
  try {
    cursor = JSON.parse(Buffer.from(token, 'base64url').toString())
  } catch {
    return undefined
  }
  if (!isObject(cursor)) return undefined
  const { id, at } = cursor
  return typeof id === 'string' && typeof at === 'string' ? { id, at } : undefined
}
