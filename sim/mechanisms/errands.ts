import type { ProcessWorld } from './client-world.ts'
import type { Running } from './process.ts'

/** Processes of one world that run beside each other, to be stopped together. */
export interface Errands {
  begin: ProcessWorld['errand']
  /** Stops all there are; none begins any more. */
  stop: () => void
}

export function createErrands(begin: ProcessWorld['errand']): Errands {
  let underWay: Running<void>[] = []
  let isOver = false
  return {
    begin(process) {
      // One that was never begun ends without having done anything.
      if (isOver) process.return()
      const running = begin(process)
      underWay = underWay.filter(({ ready }) => !ready)
      underWay.push(running)
      return running
    },
    stop() {
      isOver = true
      for (const running of underWay) running.stop()
      underWay = []
    },
  }
}
