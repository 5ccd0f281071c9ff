import type { Clock } from '../kernel/clock.ts'

/** All that anything on a path asks of a clock: any engine has that much. */
export type PathClock = Pick<Clock, 'nowUs' | 'at'>
