/** The agent's capacity in front of its operations: requests wait for a handler, and streams hold their connection. */
import type { Clock } from '../kernel/clock.ts'
import type { RandomStream } from '../kernel/random.ts'
import { type Capacity, createDesk } from '../policies/desk.ts'
import type { Refusal } from '../policies/middlebox.ts'
import type { Operation } from '../protocol/operation.ts'
import { kindOfOperation } from '../protocol/operations.ts'
import type { Journal } from '../records/journal.ts'
import type { Asks } from './asks.ts'
import type { Answer } from './operations.ts'

export interface FrontDesk {
  /** @throws what `turnedAway` makes, if there is no room; whatever `serve` throws */
  serve: (operation: Operation, serve: () => Answer, asks: Asks) => Promise<Answer>
  /** The process ends: whoever is in line or in service is never answered. */
  forget: () => void
}

export interface FrontDeskWorld {
  clock: Clock
  journal: Journal
  /** Makes every change that is due, before a task is read. */
  catchUp: () => void
  /** How long each service takes. */
  services: RandomStream
  /** What the network understands as a refusal. */
  turnedAway: (refusal: Refusal) => Error
}

export function createFrontDesk(capacity: Capacity, world: FrontDeskWorld): FrontDesk {
  const { clock, journal, catchUp, services, turnedAway } = world
  const desk = createDesk(capacity, clock, services)

  return {
    serve: (operation, serve, { gone }) =>
      new Promise((resolve, reject) => {
        let isOver = false
        let leave = (): void => {}
        const over = (): void => {
          isOver = true
          leave()
        }
        leave = desk.enter({
          operation: kindOfOperation(operation),
          serve(waitedUs) {
            catchUp()
            if (capacity.handlers !== undefined)
              journal.append({ kind: 'served', atUs: clock.nowUs(), operation, waitedUs })
            try {
              resolve(holding(serve(), over))
            } catch (error) {
              over()
              reject(error)
            }
          },
          turnAway() {
            journal.append({ kind: 'turned-away', atUs: clock.nowUs(), operation })
            reject(turnedAway(capacity.full))
          },
        })
        if (isOver) leave()
        else gone?.().addEventListener('abort', over, { once: true })
      }),
    forget: () => desk.forget(),
  }
}

/** The answer, and `over` called once there is no more of it to come. */
function holding(answer: Answer, over: () => void): Answer {
  switch (answer.kind) {
    case 'result':
    case 'not-modified':
    case 'message':
    case 'empty':
      over()
      return answer
    case 'held':
      return { kind: 'held', answer: answer.answer.finally(over) }
    case 'stream':
      return { kind: 'stream', open: (frame) => answer.open(frame, over) }
  }
}
