/** When the tasks of one block begin, in order. */
export interface BlockArrivals {
  /** Fills a column of `BATCH` places with the next instants, in whole µs, and gives how many there are: 0 at the end. */
  next(columnUs: Float64Array): number
}

/** How the arrivals of a fleet fall into blocks. */
export interface ArrivalBlocks {
  of(block: number): BlockArrivals
  /** How many tasks the block has; `undefined` where only drawing them tells. */
  countOf(block: number): number | undefined
}
