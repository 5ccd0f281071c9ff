/** What the agent has still to do by itself: tasks that are not over, webhook posts on their way. */
export interface Activity {
  /** Something begins; the result, to be called once, ends it. */
  begin(): () => void
  /** Resolves as soon as nothing goes on any more. */
  idle: () => Promise<void>
}

export function createActivity(): Activity {
  let going = 0
  let waiting: (() => void)[] = []
  return {
    begin() {
      going += 1
      return () => {
        going -= 1
        if (going > 0) return
        for (const tell of waiting) tell()
        waiting = []
      }
    },
    idle: () => (going === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve))),
  }
}
