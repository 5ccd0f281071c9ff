/** What the fuzz tests share: how much they try, and a small model of what the agent should do. */
import type { ErrorName } from '../protocol/errors.ts'
import { isTerminal, WIRE_STATE } from '../protocol/states.ts'
import type { TaskState } from '../protocol/a2a.ts'
import type { Job } from '../scenario/scenario.ts'

/**
 * How many random cases each fuzz test tries: a number that suits every run of
 * the test suite, or what the environment variable FUZZ_RUNS says.
 */
export const NUM_RUNS = Number(process.env['FUZZ_RUNS'] ?? 300)

/** Room for that many on a busy machine. */
export const FUZZ_TIMEOUT_MS = 60_000 + NUM_RUNS * 200

/** A task as the model knows it. */
export interface ModelTask {
  readonly id: string
  readonly contextId: string
  /** Whose it is. */
  readonly owner: string
  readonly beganUs: number
  state: TaskState
  /** How many parts each artifact has. */
  parts: Map<string, number>
  /** How many messages were said to it. */
  history: number
  configs: Set<string>
  /** Whether exactly one webhook hears of everything. */
  posts: boolean
  /** What happened to it, the task as created first. */
  told: string[]
  /** How many of the job's updates were made. */
  done: number
}

/** Either what the call does, or the error it ends with. */
export type Verdict<T> = { ok: T } | { error: ErrorName }

const refuse = (error: ErrorName) => ({ error })

/**
 * The agent in a few lines: everything is looked up under its owner, a change
 * due at an instant is made before any request of that instant.
 */
export function createModel(job: Job) {
  const tasks: ModelTask[] = []

  function find(owner: string, id: string): ModelTask | undefined {
    return tasks.find((task) => task.id === id && task.owner === owner)
  }

  function enter(task: ModelTask, state: TaskState): void {
    task.state = state
    task.told.push(state)
  }

  return {
    tasks: tasks as readonly ModelTask[],

    /** Makes every change that is due. */
    catchUp(nowUs: number): void {
      for (const task of tasks)
        for (let next = job.updates[task.done]; next !== undefined; next = job.updates[task.done]) {
          if (task.beganUs + next.atUs > nowUs || isTerminal(task.state)) break
          task.done += 1
          const { change } = next
          if (change.of === 'status') enter(task, WIRE_STATE[change.state])
          else {
            const held = change.append ? (task.parts.get(change.artifact) ?? 0) : 0
            task.parts.set(change.artifact, held + 1)
            task.told.push(`artifact ${change.artifact}`)
          }
        }
    },

    mayBegin(owner: string, contextId: string | undefined): Verdict<true> {
      const known =
        contextId === undefined || tasks.some((task) => task.contextId === contextId && task.owner === owner)
      return known ? { ok: true } : refuse('InvalidParamsError')
    },

    begin(owner: string, id: string, contextId: string, beganUs: number): void {
      const state = WIRE_STATE.submitted
      const fresh = {
        state,
        parts: new Map(),
        history: 1,
        configs: new Set<string>(),
        told: ['task'],
        done: 0,
        posts: false,
      }
      tasks.push({ id, contextId, owner, beganUs, ...fresh })
    },

    get(owner: string, id: string): Verdict<ModelTask> {
      const task = find(owner, id)
      return task === undefined ? refuse('TaskNotFoundError') : { ok: task }
    },

    /** A task that is not over. */
    open(owner: string, id: string): Verdict<ModelTask> {
      const verdict = this.get(owner, id)
      if ('error' in verdict || !isTerminal(verdict.ok.state)) return verdict
      return refuse('UnsupportedOperationError')
    },

    cancel(owner: string, id: string): Verdict<ModelTask> {
      const verdict = this.get(owner, id)
      if ('error' in verdict || verdict.ok.state === WIRE_STATE.canceled) return verdict
      if (isTerminal(verdict.ok.state)) return refuse('TaskNotCancelableError')
      enter(verdict.ok, WIRE_STATE.canceled)
      return verdict
    },

    config(owner: string, taskId: string, id: string): Verdict<string> {
      const verdict = this.get(owner, taskId)
      if ('error' in verdict) return verdict
      return verdict.ok.configs.has(id) ? { ok: id } : refuse('TaskNotFoundError')
    },

    of(owner: string): readonly ModelTask[] {
      return tasks.filter((task) => task.owner === owner)
    },
  }
}
