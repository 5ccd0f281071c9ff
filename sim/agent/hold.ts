import type { Clock } from '../kernel/clock.ts'
import type { StreamResponse, Task } from '../protocol/a2a.ts'
import { A2AError } from '../protocol/errors.ts'
import { type Agenda, NEVER_US } from './agenda.ts'
import type { OpenAnswers } from './open-answers.ts'
import type { TaskLog } from './task-log.ts'

export interface Hold {
  /** For people: `SendMessage waits`. */
  who: string
  /** The end of the hold; `undefined` for none. */
  forUs: number | undefined
  /** What the requester waits for. */
  isEnough: (event: StreamResponse, snapshot: Task) => boolean
  gone: (() => AbortSignal) | undefined
}

/**
 * The task as soon as there is enough to tell, or as it is when the hold is
 * over: a change at that very instant still counts. Never settles if the
 * requester goes away or the agent restarts: nobody would hear it.
 *
 * @throws A2AError TaskNotFoundError if the task is deleted meanwhile
 */
export function held(
  log: TaskLog,
  { who, forUs, isEnough, gone }: Hold,
  { clock, agenda, openAnswers }: { clock: Clock; agenda: Agenda; openAnswers: OpenAnswers },
): Promise<Task> {
  return new Promise((resolve, reject) => {
    const untilUs = forUs === undefined ? NEVER_US : clock.nowUs() + forUs
    const endings = [
      clock.waiting(`${who} of task ${log.taskId}`),
      log.follow(
        (event, snapshot) => {
          if (isEnough(event, snapshot)) answer()
        },
        () => {
          letGo()
          reject(new A2AError('TaskNotFoundError'))
        },
      ),
      clock.at(untilUs, () => {
        agenda.catchUp()
        answer()
      }),
      openAnswers.add(() => letGo()),
    ]
    const leaving = gone?.()
    leaving?.addEventListener('abort', letGo, { once: true })

    function letGo(): void {
      for (const end of endings) end()
      leaving?.removeEventListener('abort', letGo)
    }

    function answer(): void {
      letGo()
      resolve(log.snapshot())
    }
  })
}
