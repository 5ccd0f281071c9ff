/**
 * A scenario as resolved: every default filled in, every duration in µs, all
 * words parsed. What may stand in a file is in schema.ts; how a file becomes
 * this is in load.ts.
 */
import type { Policy } from '../policies/policy.ts'
import type { Binding } from '../protocol/a2a.ts'
import type { ErrorProfile } from '../protocol/errors.ts'
import type { StateWord } from '../protocol/states.ts'
import type { Expectation } from './expectation.ts'
import type { Threshold } from './threshold.ts'

/** What a message or a chunk says; `undefined` where the scenario leaves it to the agent. */
export type Content = { text: string } | { octets: number } | { data: unknown }

export type Change =
  | { of: 'status'; state: StateWord; content: Content | undefined }
  | {
      of: 'artifact'
      artifact: string
      content: Content | undefined
      append: boolean
      lastChunk: boolean
    }

/** One change of the task, counted from the instant the agent receives the send. */
export interface Update {
  atUs: number
  change: Change
}

/** One job: what the client asks and what the agent does, instants ascending, exactly the last update terminal. */
export interface Job {
  message: Content | undefined
  updates: readonly Update[]
  durationUs: number
}

export interface AgentSettings {
  binding: Binding
  /** The release of A2A whose table of HTTP statuses errors follow. */
  errorProfile: ErrorProfile
  streaming: boolean
  push: boolean
}

export interface MechanismEntry {
  /** The row's name where the scenario gives one. */
  label: string | undefined
  /** The policy in its canonical word. */
  word: string
  policy: Policy
}

export interface SourceFile {
  file: string
  sha256: string
}

export interface Scenario {
  name: string
  /** The scenario file first, then the files it extends. Paths as given, with forward slashes. */
  files: readonly [SourceFile, ...SourceFile[]]
  question: string | undefined
  description: string | undefined
  sources: readonly string[]
  seed: number
  horizonUs: number
  job: Job
  agent: AgentSettings
  network: { latencyUs: { up: number; down: number } }
  mechanisms: readonly MechanismEntry[]
  thresholds: readonly Threshold[]
  expectations: readonly Expectation[]
}
