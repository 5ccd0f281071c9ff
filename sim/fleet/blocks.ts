/**
 * The parts a fleet is computed in: always 64, whatever the number of workers,
 * so that a result never depends on who computed what. Blocks are consecutive
 * slices of the arrivals; a task's number says its block and its place there.
 */

export const BLOCKS = 64

/** The most tasks that are worked on at a time: columns of so many doubles stay in the processor's cache. */
export const BATCH = 1024

/** A task as an entity with chances of its own. */
export const entityOf = (block: number, index: number): number => block * 2 ** 32 + index

/** Where the share of a block begins among so many things in a row; a block ends where the next begins. */
export const firstOf = (block: number, count: number): number => Math.floor((count * block) / BLOCKS)
