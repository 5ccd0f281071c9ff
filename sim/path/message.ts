/**
 * What travels from a host to the one that asked. Paths look at no more of it
 * than how much of the body it carries: what a head and a piece of body are is
 * the business of whoever sends and reads them.
 */

/** A piece of a body. */
export interface Piece {
  /** Its size in octets. */
  readonly byteLength: number
}

export type PassingMessage<Head, P extends Piece> =
  /** With it travels what was written of the body at the same instant; `ends` if that is all of it. */
  | { of: 'head'; response: Head; chunked: boolean; body: readonly P[]; ends: boolean }
  | { of: 'octets'; chunks: readonly P[] }
  /** The body is whole as far as HTTP tells. */
  | { of: 'end'; connection: 'stays' | 'closes' }
  /** The connection broke: by a reset, or closed in the middle of a message. */
  | { of: 'broken'; how: 'reset' | 'closed'; cause: unknown }
  /** No connection came about. */
  | { of: 'refused' }

export const octetsOf = (pieces: readonly Piece[]): number =>
  pieces.reduce((sum, piece) => sum + piece.byteLength, 0)
