/**
 * Random calls by several callers against a model of a few lines: every answer
 * is what the model says, nobody learns anything of anybody else, every state
 * follows the one before it, and nothing breaks or stays behind.
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { US_PER_SECOND } from '../kernel/units.ts'
import type { Binding, StreamResponse, Task, TaskState } from '../protocol/a2a.ts'
import { errorNameOf } from '../protocol/errors.ts'
import { requestOf } from '../protocol/http-json.ts'
import type { Operation } from '../protocol/operation.ts'
import { isTerminal } from '../protocol/states.ts'
import { wordsOf } from '../protocol/words.ts'
import type { Job } from '../scenario/scenario.ts'
import { chunksOf, onStage, type Stage } from '../testing/agent-stage.ts'
import { chunk, jobOf, seconds, status } from '../testing/scenario.ts'
import type { Grant } from './access.ts'
import type { AgentSettings } from './settings.ts'
import { createModel, FUZZ_TIMEOUT_MS, type ModelTask, NUM_RUNS, type Verdict } from './fuzz.suite.ts'

/** Who calls, and for which tenant: the same person for two tenants is two owners. */
const OWNERS = ['ada', 'ada@west', 'bob', 'cleo@west'] as const
type Owner = (typeof OWNERS)[number]

/** As long as every id of the agent, and none of them. */
const NOBODYS = 'Z'.repeat(26)

/** Which task or context is meant: the n-th of the caller's own or of all there are; `undefined` for one that never was. */
type Target = { nth: number; own: boolean } | undefined

type Action =
  | { does: 'send' | 'stream'; into: Target | 'new'; webhook: boolean }
  | { does: 'say'; to: Target; context: 'none' | 'right' | 'wrong' }
  | { does: 'get' | 'subscribe' | 'cancel' | 'listConfigs'; to: Target }
  | { does: 'createConfig' | 'getConfig' | 'deleteConfig'; to: Target; id: string }
  | { does: 'list'; pageSize: number }

interface Command {
  owner: Owner
  binding: Binding
  waitSeconds: number
  action: Action
}

const target: fc.Arbitrary<Target> = fc.oneof(
  { weight: 12, arbitrary: fc.record({ nth: fc.nat(9), own: fc.constantFrom(true, true, false) }) },
  { weight: 1, arbitrary: fc.constant(undefined) },
)
const begins = fc.constantFrom('send', 'stream')
const asks = fc.constantFrom('get', 'subscribe', 'cancel', 'listConfigs')
const configures = fc.constantFrom('createConfig', 'getConfig', 'deleteConfig')
const action = fc.oneof(
  fc.record({ does: begins, into: fc.oneof(fc.constant('new'), target), webhook: fc.boolean() }),
  fc.record({ does: fc.constant('say'), to: target, context: fc.constantFrom('none', 'right', 'wrong') }),
  { weight: 3, arbitrary: fc.record({ does: asks, to: target }) },
  fc.record({ does: configures, to: target, id: fc.constantFrom('one', 'two') }),
  fc.record({ does: fc.constant('list'), pageSize: fc.integer({ min: 1, max: 3 }) }),
) as fc.Arbitrary<Action>

const command: fc.Arbitrary<Command> = fc.record({
  owner: fc.constantFrom(...OWNERS),
  binding: fc.constantFrom('HTTP+JSON', 'JSONRPC'),
  waitSeconds: fc.constantFrom(0, 0, 0, 0.5, 10, 20, 40),
  action,
})

const JOBS: Job[] = (
  [
    [
      status(0, 'working'),
      status(seconds(20), 'working', 'Searching.'),
      chunk(seconds(20), 'list'),
      chunk(seconds(60), 'list', { append: true }),
      status(seconds(60), 'completed', 'Here.'),
    ],
    [status(seconds(10), 'rejected', 'No.')],
    [status(0, 'working'), status(seconds(10), 'auth-required', 'Sign in.'), status(seconds(30), 'failed')],
    [
      status(seconds(10), 'input-required', 'How many?'),
      status(seconds(30), 'working'),
      chunk(seconds(30), 'list'),
      chunk(seconds(40), 'list'),
      status(seconds(50), 'completed'),
    ],
  ] satisfies Job['updates'][]
).map(jobOf)

/** What may follow each state, written down once more. */
const NEXT: Record<TaskState, RegExp> = {
  TASK_STATE_SUBMITTED: /./,
  TASK_STATE_WORKING: /WORKING|REQUIRED|COMPLETED|FAILED|CANCELED/,
  TASK_STATE_INPUT_REQUIRED: /WORKING|REQUIRED|COMPLETED|FAILED|CANCELED/,
  TASK_STATE_AUTH_REQUIRED: /WORKING|REQUIRED|COMPLETED|FAILED|CANCELED/,
  TASK_STATE_COMPLETED: /COMPLETED/,
  TASK_STATE_FAILED: /FAILED/,
  TASK_STATE_CANCELED: /CANCELED/,
  TASK_STATE_REJECTED: /REJECTED/,
}

/** What a caller says, and what nobody else may ever read. */
const secretOf = (owner: Owner) => `what ${owner} wants`

const callers = ['ada', 'bob', 'cleo'].map((owner) => ({
  owner,
  apiKey: `key of ${owner}`,
  bearerToken: `token-of-${owner}`,
  grants: ['tasks:read', 'tasks:write'] satisfies Grant[],
}))

const SETTINGS: Partial<AgentSettings> = { access: { callers } }

/** Every other caller shows a key, every other a token. */
function headersOf(owner: Owner): Record<string, string> {
  const [who] = owner.split('@')
  const credentials =
    who === 'bob' ? { 'X-API-Key': `key of ${who}` } : { Authorization: `Bearer token-of-${who}` }
  return { 'A2A-Version': '1.0', 'Content-Type': 'application/json', ...credentials }
}

interface Post {
  url: string
  body: string
}

interface Caller {
  owner: Owner
  binding: Binding
}

/** One random life of an agent. */
async function live(
  stage: Stage,
  job: Job,
  commands: readonly Command[],
  posted: readonly Post[],
): Promise<void> {
  const { clock } = stage
  const model = createModel(job)
  const streams: Promise<() => void>[] = []

  function send({ owner, binding }: Caller, operation: Operation, given: Record<string, unknown>) {
    const headers = headersOf(owner)
    const [, tenant] = owner.split('@')
    const params = { ...given, ...(tenant && { tenant }) }
    if (binding === 'JSONRPC') {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: operation, params })
      return stage.raw('/a2a/v1', { method: 'POST', headers, body })
    }
    const { method, pathAndQuery, body } = requestOf(operation, params)
    return stage.raw(`/rest${pathAndQuery}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  }

  /** Text that names nothing of anybody but the caller, unless the caller named it first. */
  function mustNotLeak({ owner }: Caller, params: object, text: string): string {
    const named = JSON.stringify(params)
    for (const other of OWNERS) {
      if (other === owner) continue
      expect(text).not.toContain(secretOf(other))
      for (const { id, contextId } of model.of(other))
        for (const word of [id, contextId]) if (!named.includes(word)) expect(text).not.toContain(word)
    }
    return text
  }

  /** A call that is answered at once: its result, or its error by name. */
  async function ask<T>(
    caller: Caller,
    operation: Operation,
    params: Record<string, unknown>,
  ): Promise<{ ok: T } | { error: string | undefined }> {
    const response = await send(caller, operation, params)
    return outcomeOf<T>(mustNotLeak(caller, params, await response.text()))
  }

  /** A stream that is open, or the error there is instead; the first event is read. */
  async function open(caller: Caller, operation: Operation, params: Record<string, unknown>) {
    const response = await send(caller, operation, params)
    if (response.headers.get('content-type') !== 'text/event-stream')
      return outcomeOf<never>(mustNotLeak(caller, params, await response.text()))
    const events = chunksOf(response)
    const first = (await events.next()).value as { chunk: string; event: { task: Task } }
    mustNotLeak(caller, params, first.chunk)
    return { ok: { first: first.event.task, events } }
  }

  /** Reads a stream to its end in the background; at last it must have told what happened to the task from here on. */
  function follow(caller: Caller, task: ModelTask, events: ReturnType<typeof chunksOf>): void {
    const already = task.told.length
    const read = async () => {
      const told: string[] = []
      for await (const { chunk: text, event } of events) {
        mustNotLeak(caller, {}, text)
        told.push(saidOf(event))
      }
      return () => {
        const all = task.told.slice(already)
        const end = all.findIndex(
          (what) => what === 'TASK_STATE_INPUT_REQUIRED' || isTerminal(what as TaskState),
        )
        expect(told).toEqual(end === -1 ? all : all.slice(0, end + 1))
      }
    }
    streams.push(read())
  }

  /** A foreign task looks like none, to the octet. */
  async function mustLookLikeNone(
    caller: Caller,
    operation: Operation,
    params: Record<string, unknown>,
    id: string,
  ) {
    const looks = async (request: Record<string, unknown>) => {
      const response = await send(caller, operation, request)
      return [response.status, [...response.headers], await response.text()]
    }
    const text = JSON.stringify(params).replaceAll(id, NOBODYS)
    expect(await looks(params)).toEqual(await looks(JSON.parse(text) as Record<string, unknown>))
  }

  function pick(owner: Owner, which: Target): ModelTask | undefined {
    const among = which?.own === true ? model.of(owner) : model.tasks
    return which === undefined || among.length === 0 ? undefined : among[which.nth % among.length]
  }

  function mustBeLike(task: Task, { id, contextId, state, parts, history }: ModelTask): void {
    expect({
      id: task.id,
      contextId: task.contextId,
      state: task.status.state,
      parts: new Map(task.artifacts?.map((artifact) => [artifact.artifactId, artifact.parts.length])),
      history: task.history?.length,
    }).toEqual({ id, contextId, state, parts, history })
  }

  /** Looks a task up as its owner, and as a stranger at what is not there. */
  async function mustAnswer<T, U>(
    caller: Caller,
    operation: Operation,
    params: Record<string, unknown>,
    verdict: Verdict<T>,
    check: (result: U, expected: T) => void,
  ): Promise<void> {
    const outcome = await ask<U>(caller, operation, params)
    if ('error' in verdict) expect(outcome).toEqual(verdict)
    else if ('error' in outcome) expect(outcome).toEqual({ ok: verdict.ok })
    else check(outcome.ok, verdict.ok)
  }

  async function begin(caller: Caller, { does, into, webhook }: Action & { does: 'send' | 'stream' }) {
    const { owner } = caller
    const context = into === 'new' ? undefined : pick(owner, into)
    const contextId = into === 'new' ? undefined : (context?.contextId ?? NOBODYS)
    const config = { id: 'one', url: `${HOOKS}${owner}`, token: secretOf(owner) }
    const params = {
      message: messageOf(owner, { contextId }),
      configuration: { returnImmediately: true, ...(webhook && { taskPushNotificationConfig: config }) },
    }
    const operation = does === 'send' ? 'SendMessage' : 'SendStreamingMessage'
    const verdict = model.mayBegin(owner, contextId)
    if ('error' in verdict) {
      expect(await ask(caller, operation, params)).toEqual(verdict)
      if (context !== undefined) await mustLookLikeNone(caller, operation, params, context.contextId)
      return
    }
    let task: Task
    let follows = () => {}
    if (does === 'send') {
      const outcome = await ask<{ task: Task }>(caller, operation, params)
      if ('error' in outcome) throw new Error(`${operation}: ${outcome.error}`)
      ;({ task } = outcome.ok)
    } else {
      const opened = await open(caller, operation, params)
      if ('error' in opened) throw new Error(`${operation}: ${opened.error}`)
      task = opened.ok.first
      follows = () => follow(caller, model.tasks.at(-1) as ModelTask, opened.ok.events)
    }
    expect(model.tasks.map(({ id }) => id)).not.toContain(task.id)
    if (contextId === undefined)
      expect(model.tasks.map((other) => other.contextId)).not.toContain(task.contextId)
    model.begin(owner, task.id, contextId ?? (task.contextId as string), clock.nowUs())
    const begun = model.tasks.at(-1) as ModelTask
    if (webhook) begun.configs.add('one')
    begun.posts = webhook
    mustBeLike(task, begun)
    follows()
  }

  async function act(caller: Caller, todo: Action): Promise<void> {
    const { owner } = caller
    if ('into' in todo) return begin(caller, todo)
    if ('pageSize' in todo) return list(caller, todo.pageSize)

    const task = pick(owner, todo.to)
    const id = task?.id ?? NOBODYS
    const [operation, params] = callOf(owner, todo, id, task?.contextId)
    if (task !== undefined && task.owner !== owner) await mustLookLikeNone(caller, operation, params, id)

    const known = model.get(owner, id)
    switch (todo.does) {
      case 'say': {
        const wrong = todo.context === 'wrong' && !('error' in known)
        const verdict = wrong ? { error: 'InvalidParamsError' as const } : model.open(owner, id)
        if (!('error' in verdict)) verdict.ok.history += 1
        return mustAnswer(caller, operation, params, verdict, (said: { task: Task }, it) =>
          mustBeLike(said.task, it),
        )
      }
      case 'get':
        return mustAnswer(caller, operation, params, known, mustBeLike)
      case 'cancel':
        return mustAnswer(caller, operation, params, model.cancel(owner, id), mustBeLike)
      case 'subscribe': {
        const verdict = model.open(owner, id)
        const opened = await open(caller, operation, params)
        if ('error' in opened || 'error' in verdict) return expect(opened).toEqual(verdict)
        mustBeLike(opened.ok.first, verdict.ok)
        return follow(caller, verdict.ok, opened.ok.events)
      }
      case 'createConfig':
        configure(known, (configs) => configs.add(todo.id))
        return mustAnswer(caller, operation, params, known, (config: { id: string }) =>
          expect(config.id).toBe(todo.id),
        )
      case 'getConfig':
        return mustAnswer(
          caller,
          operation,
          params,
          model.config(owner, id, todo.id),
          (config: { id: string }) => expect(config.id).toBe(todo.id),
        )
      case 'deleteConfig':
        configure(known, (configs) => configs.delete(todo.id))
        return mustAnswer(caller, operation, params, known, () => {})
      case 'listConfigs':
        return mustAnswer(
          caller,
          operation,
          params,
          known,
          ({ configs }: { configs: { id: string }[] }, { configs: ids }) =>
            expect(new Set(configs.map((config) => config.id))).toEqual(ids),
        )
    }
  }

  /** Page by page: everything that is the caller's, once, the newest status first. */
  async function list(caller: Caller, pageSize: number): Promise<void> {
    const mine = model.of(caller.owner)
    const listed: Task[] = []
    let pageToken = ''
    do {
      const outcome = await ask<{ tasks: Task[]; totalSize: number; nextPageToken: string }>(
        caller,
        'ListTasks',
        {
          pageSize,
          includeArtifacts: true,
          ...(pageToken !== '' && { pageToken }),
        },
      )
      if ('error' in outcome) throw new Error(`ListTasks: ${outcome.error}`)
      expect(outcome.ok.totalSize).toBe(mine.length)
      listed.push(...outcome.ok.tasks)
      pageToken = outcome.ok.nextPageToken
      expect(listed.length).toBeLessThanOrEqual(mine.length)
    } while (pageToken !== '')
    expect(listed.map(({ id }) => id).toSorted()).toEqual(mine.map(({ id }) => id).toSorted())
    for (const task of mine) mustBeLike(listed.find(({ id }) => id === task.id) as Task, task)
    const timestamps = listed.map((task) => task.status.timestamp as string)
    expect(timestamps).toEqual(timestamps.toSorted().toReversed())
  }

  for (const { waitSeconds, action: next, ...caller } of commands) {
    await clock.sleep(waitSeconds * US_PER_SECOND)
    model.catchUp(clock.nowUs())
    await act(caller, next)
  }
  await clock.sleep(1000 * US_PER_SECOND)
  model.catchUp(clock.nowUs())
  for (const mustHaveToldAll of await Promise.all(streams)) mustHaveToldAll()
  for (const owner of OWNERS) await list({ owner, binding: 'HTTP+JSON' }, 3)
  for (const [nth, task] of model.tasks.entries()) {
    const to = { nth, own: false }
    for (const does of ['get', 'listConfigs'] as const)
      await act({ owner: task.owner as Owner, binding: 'JSONRPC' }, { does, to })
    mustBeLegal(task)
  }
  const posts = posted.map(({ url, body }) => {
    const owner = url.slice(HOOKS.length) as Owner
    return JSON.parse(mustNotLeak({ owner, binding: 'JSONRPC' }, {}, body)) as StreamResponse
  })
  for (const task of model.tasks)
    if (task.posts)
      expect(posts.filter((post) => taskIdOf(post) === task.id).map(saidOf)).toEqual(task.told.slice(1))
}

/** Where each caller takes webhook posts. */
const HOOKS = 'https://client.example/'

/** What the model says happened to a task may happen to a task. */
function mustBeLegal({ state, told }: ModelTask): void {
  expect(isTerminal(state)).toBe(true)
  const states = told.filter((what) => what.startsWith('TASK_STATE')) as TaskState[]
  states.forEach((next, at) => expect(next).toMatch(NEXT[states[at - 1] ?? 'TASK_STATE_SUBMITTED']))
}

/** A webhook that comes or goes on the way: from then on nobody counts the posts. */
function configure(verdict: Verdict<ModelTask>, change: (configs: Set<string>) => void): void {
  if ('error' in verdict) return
  change(verdict.ok.configs)
  verdict.ok.posts = false
}

function taskIdOf(event: StreamResponse): string {
  if ('task' in event) return event.task.id
  if ('statusUpdate' in event) return event.statusUpdate.taskId
  return 'artifactUpdate' in event ? event.artifactUpdate.taskId : ''
}

function messageOf(owner: Owner, members: Record<string, unknown>): object {
  return { messageId: 'M'.repeat(26), role: 'ROLE_USER', parts: [{ text: secretOf(owner) }], ...members }
}

/** A call about one task, as the caller writes it. */
function callOf(
  owner: Owner,
  todo: Exclude<Action, { does: 'send' | 'stream' | 'list' }>,
  id: string,
  contextId: string | undefined,
): [Operation, Record<string, unknown>] {
  switch (todo.does) {
    case 'say': {
      const context = { none: {}, right: { contextId: contextId ?? NOBODYS }, wrong: { contextId: NOBODYS } }[
        todo.context
      ]
      const message = messageOf(owner, { taskId: id, ...context })
      return ['SendMessage', { message, configuration: { returnImmediately: true } }]
    }
    case 'get':
      return ['GetTask', { id }]
    case 'subscribe':
      return ['SubscribeToTask', { id }]
    case 'cancel':
      return ['CancelTask', { id }]
    case 'createConfig': {
      const url = `${HOOKS}${owner}`
      return ['CreateTaskPushNotificationConfig', { taskId: id, id: todo.id, url, token: secretOf(owner) }]
    }
    case 'getConfig':
      return ['GetTaskPushNotificationConfig', { taskId: id, id: todo.id }]
    case 'deleteConfig':
      return ['DeleteTaskPushNotificationConfig', { taskId: id, id: todo.id }]
    case 'listConfigs':
      return ['ListTaskPushNotificationConfigs', { taskId: id }]
  }
}

const saidOf = (event: StreamResponse): string =>
  'statusUpdate' in event ? event.statusUpdate.status.state : wordsOf(event)

function outcomeOf<T>(text: string): { ok: T } | { error: string | undefined } {
  if (text === '') return { ok: {} as T }
  const body = JSON.parse(text) as { error?: object; jsonrpc?: string; result?: unknown }
  if (body.error !== undefined) return { error: errorNameOf(body) }
  return { ok: (body.jsonrpc === undefined ? body : body.result) as T }
}

test('random calls of several callers', { timeout: FUZZ_TIMEOUT_MS }, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...JOBS),
      fc.array(command, { minLength: 1, maxLength: 25, size: 'max' }),
      async (job, commands) => {
        const posted: Post[] = []
        const fetch: typeof globalThis.fetch = (url, init) => {
          posted.push({ url: url as string, body: init?.body as string })
          return Promise.resolve(new Response(null, { status: 204 }))
        }
        const { leftovers } = await onStage({ job, fetch, settings: SETTINGS }, (stage) =>
          live(stage, job, commands, posted),
        )
        expect(leftovers).toEqual({ events: 0, timers: 0, waiting: [] })
      },
    ),
    { seed: 1, numRuns: NUM_RUNS },
  )
})
