/** How a client behaves, as resolved data: what a policy word or a map in a scenario comes to. */

export interface PollPolicy {
  kind: 'poll'
  intervalUs: number
  /** The wait before the first poll, counted from the reply to the send. */
  firstAfterUs: number
  /** Whether each wait starts when the answer has come or when the poll was sent. */
  waitFrom: 'response' | 'request'
}

export interface StreamPolicy {
  kind: 'stream'
}

export interface PushPolicy {
  kind: 'push'
}

export type Policy = PollPolicy | StreamPolicy | PushPolicy
