/**
 * The future event list: pending events, earliest first. Events at the same
 * instant leave in the order they entered: `serial` breaks the tie, so a run
 * never depends on the layout of the heap.
 */

/** A pending event, and the handle by which it is taken back. */
export interface QueuedEvent<E> {
  readonly atUs: number
  readonly serial: number
  readonly event: E
  /** Where the heap keeps it now; -1 once it has left. */
  position: number
}

export interface EventQueue<E> {
  push(atUs: number, event: E): QueuedEvent<E>
  /** The instant of the next event; `undefined` if there is none. */
  peekTimeUs(): number | undefined
  /** Takes the next event out; `undefined` if there is none. */
  pop(): E | undefined
  /** Takes an event back at once, whole: nothing of it stays in the queue. Harmless when it has already left. */
  remove(entry: QueuedEvent<E>): void
  size(): number
}

export function createEventQueue<E>(): EventQueue<E> {
  const heap: QueuedEvent<E>[] = []
  let nextSerial = 0

  function moveUp(entry: QueuedEvent<E>, from: number): void {
    let position = from
    while (position > 0) {
      const parentPosition = (position - 1) >> 1
      const parent = heap[parentPosition] as QueuedEvent<E>
      if (isBefore(parent, entry)) break
      settleAt(parent, position)
      position = parentPosition
    }
    settleAt(entry, position)
  }

  function moveDown(entry: QueuedEvent<E>, from: number): void {
    let position = from
    for (;;) {
      let childPosition = 2 * position + 1
      if (childPosition >= heap.length) break
      let child = heap[childPosition] as QueuedEvent<E>
      const right = heap[childPosition + 1]
      if (right !== undefined && isBefore(right, child)) {
        child = right
        childPosition += 1
      }
      if (isBefore(entry, child)) break
      settleAt(child, position)
      position = childPosition
    }
    settleAt(entry, position)
  }

  function settleAt(entry: QueuedEvent<E>, position: number): void {
    heap[position] = entry
    entry.position = position
  }

  function remove(entry: QueuedEvent<E>): void {
    const hole = entry.position
    if (hole < 0) return
    entry.position = -1
    const last = heap.pop() as QueuedEvent<E>
    if (last === entry) return
    // The last entry fills the hole. It may come from another branch, so it can belong above as well as below.
    if (isBefore(last, entry)) moveUp(last, hole)
    else moveDown(last, hole)
  }

  return {
    push(atUs, event) {
      const entry = { atUs, serial: nextSerial++, event, position: -1 }
      moveUp(entry, heap.length)
      return entry
    },
    peekTimeUs: () => heap[0]?.atUs,
    pop() {
      const first = heap[0]
      if (first === undefined) return undefined
      remove(first)
      return first.event
    },
    remove,
    size: () => heap.length,
  }
}

function isBefore<E>(a: QueuedEvent<E>, b: QueuedEvent<E>): boolean {
  return a.atUs < b.atUs || (a.atUs === b.atUs && a.serial < b.serial)
}
