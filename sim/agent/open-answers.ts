/** Answers that are not over yet: streams, and replies that are held back. */
export interface OpenAnswers {
  /** Called off by the result, once the answer is over. */
  add(breakOff: () => void): () => void
  /** The agent loses sight of all of them, as a process that ends does. */
  breakOffAll(): void
}

export function createOpenAnswers(): OpenAnswers {
  const open = new Set<() => void>()
  return {
    add(breakOff) {
      open.add(breakOff)
      return () => void open.delete(breakOff)
    },
    breakOffAll() {
      for (const breakOff of open) breakOff()
      open.clear()
    },
  }
}
