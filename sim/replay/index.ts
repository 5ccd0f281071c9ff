/** The heavy door: the engine that replays one job with real client code. It loads the official SDK. */
export { replay, type Replay } from './replay.ts'
