const NONE = -1

/** Which of the columns that not everybody needs are kept. */
export interface Kept {
  lengths: boolean
  lefts: boolean
  remembers: boolean
  limited: boolean
  updates: boolean
}

/** The tasks at hand, column by column; a place is given to another task when its own is over. */
export class Slots {
  /** When the task's end can be seen at the agent, and when its send left. */
  doneUs = new Float64Array(1024)
  arrivalUs = new Float64Array(1024)
  /** How long its job takes and when its request under way left: where they do not follow from the ways, which are the same for all. */
  lengthUs: Float64Array | undefined
  leftUs: Float64Array | undefined
  /** Place in its block. */
  index = new Int32Array(1024)
  polls = new Int32Array(1024)
  block = new Uint8Array(1024)
  kind = new Uint8Array(1024)
  /** Where a policy has to remember more: waits of its own that were taken, unsuccessful polls in a row, when the reply came. */
  steps: Int32Array | undefined
  errors: Int32Array | undefined
  throttled: Int32Array | undefined
  repliedUs: Float64Array | undefined
  /** Updates its client knows of, and polls that brought some. */
  known: Uint16Array | undefined
  news: Uint16Array | undefined
  live = 0
  private used = 0
  /** The first free place; each names the next in its `index`. */
  private free = NONE

  constructor({ lengths, lefts, remembers, limited, updates }: Kept) {
    if (lengths) this.lengthUs = new Float64Array(1024)
    if (lefts) this.leftUs = new Float64Array(1024)
    if (remembers) {
      this.steps = new Int32Array(1024)
      this.errors = new Int32Array(1024)
      this.throttled = new Int32Array(1024)
    }
    if (limited) this.repliedUs = new Float64Array(1024)
    if (updates) {
      this.known = new Uint16Array(1024)
      this.news = new Uint16Array(1024)
    }
  }

  take(): number {
    this.live++
    let slot = this.free
    if (slot === NONE) {
      if (this.used === this.polls.length) this.grow()
      slot = this.used++
    } else this.free = this.index[slot] as number
    return slot
  }

  giveBack(slot: number): void {
    this.live--
    this.index[slot] = this.free
    this.free = slot
  }

  private grow(): void {
    // What is not used yet takes no memory: it is given by the page.
    const length = 2 * this.used
    this.doneUs = grown(this.doneUs, new Float64Array(length))
    this.arrivalUs = grown(this.arrivalUs, new Float64Array(length))
    this.lengthUs &&= grown(this.lengthUs, new Float64Array(length))
    this.leftUs &&= grown(this.leftUs, new Float64Array(length))
    this.index = grown(this.index, new Int32Array(length))
    this.polls = grown(this.polls, new Int32Array(length))
    this.block = grown(this.block, new Uint8Array(length))
    this.kind = grown(this.kind, new Uint8Array(length))
    this.steps &&= grown(this.steps, new Int32Array(length))
    this.errors &&= grown(this.errors, new Int32Array(length))
    this.throttled &&= grown(this.throttled, new Int32Array(length))
    this.repliedUs &&= grown(this.repliedUs, new Float64Array(length))
    this.known &&= grown(this.known, new Uint16Array(length))
    this.news &&= grown(this.news, new Uint16Array(length))
  }
}

function grown<C extends Float64Array | Int32Array | Uint16Array | Uint8Array>(column: C, into: C): C {
  into.set(column)
  return into
}
