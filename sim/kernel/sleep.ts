import type { Clock } from './clock.ts'

/** `Clock.sleep`, for a clock that can tell the time and schedule. */
export const sleepOn =
  ({ nowUs, at }: Pick<Clock, 'nowUs' | 'at'>): Clock['sleep'] =>
  (durationUs, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) throw signal.reason
      if (signal === undefined) {
        at(nowUs() + durationUs, resolve)
        return
      }
      const cancel = at(nowUs() + durationUs, () => {
        signal.removeEventListener('abort', giveUp)
        resolve()
      })
      function giveUp(): void {
        cancel()
        reject((signal as AbortSignal).reason)
      }
      signal.addEventListener('abort', giveUp, { once: true })
    })
