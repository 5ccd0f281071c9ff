import type { Checker } from '../run.ts'
import { allAccounted } from './all-accounted.ts'
import { endIsFinal } from './end-is-final.ts'
import { endIsLearned } from './end-is-learned.ts'
import { neverEarly } from './never-early.ts'
import { noRepeats } from './no-repeats.ts'
import { nothingPending } from './nothing-pending.ts'
import { octetsBalance } from './octets-balance.ts'
import { orderKept } from './order-kept.ts'
import { postsRetried } from './posts-retried.ts'
import { wholePicture } from './whole-picture.ts'

/** One property each; a new one is a file and a line. */
export const CHECKERS: readonly Checker[] = [
  neverEarly,
  orderKept,
  endIsFinal,
  allAccounted,
  wholePicture,
  endIsLearned,
  postsRetried,
  noRepeats,
  octetsBalance,
  nothingPending,
]
