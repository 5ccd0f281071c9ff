import type { LeanHead } from './messages.ts'

/**
 * How many octets bodies have. The lean world counts none; hops that keep small
 * writes back and paths that dribble have to know.
 */
export interface LeanSizes {
  /** Of an answer that is whole. */
  answer(operation: string, head: LeanHead): number
  /** Of one event of a stream: an update's, by its number, or the task's, at a moment. */
  event(about: { of: 'task' | 'update'; number: number }): number
  /** Of the post about an update. */
  post(update: number): number
}

/** Where nobody measured: what small messages of A2A have. */
export const USUAL_SIZES: LeanSizes = {
  answer: () => 400,
  event: ({ of }) => (of === 'task' ? 400 : 250),
  post: () => 250,
}
