/** Instants that follow each other at one distance, so many of them: the polls of a task. As columns, one row a task. */
export interface Progressions {
  /** To which `offsetUs` is added: where they begin. */
  fromUs: Float64Array
  offsetUs: number
  /** How many; 0 for none. */
  count: Float64Array
  everyUs: number
}
