/** What the process tells its caller. */
export const EXIT = {
  /** Also when a mechanism never learned: that is a result. */
  fine: 0,
  /** A fault of ours. */
  fault: 1,
  /** The command line or a scenario is wrong. */
  usage: 2,
  /** A threshold or an expected value was missed, or a golden differs. */
  missed: 99,
  /** Ended by Ctrl-C, as shells say it. */
  interrupted: 130,
} as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

/** The command line asks for something that cannot be done; the message tells the person what can. */
export class UsageError extends Error {
  override name = 'UsageError'
}
