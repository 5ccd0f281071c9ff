import FlatQueue from 'flatqueue'
import type { EventList } from './event-list.ts'

/** The quickest heap of the npm registry. Events at one instant leave it in any order. */
export class FlatQueueList implements EventList {
  private readonly queue = new FlatQueue<number>()

  push(atUs: number, payload: number): void {
    this.queue.push(payload, atUs)
  }

  peekUs(): number {
    return this.queue.peekValue() ?? Infinity
  }

  shift(): number {
    return this.queue.pop() as number
  }
}
