/** Two 32-bit halves, the low one first. */
export type Block = readonly [low: number, high: number]

/** By how much each round turns; the eight repeat. */
const ROTATIONS = [13, 15, 26, 6, 17, 29, 16, 24] as const

/**
 * Threefry-2x32 with 20 rounds (Salmon, Moraes, Dror and Shaw, "Parallel random
 * numbers: as easy as 1, 2, 3", SC 2011): a block cipher made for counters and
 * keys that differ in few bits. Halves come out as int32.
 */
export function threefry2x32(counter: Block, key: Block): Block {
  const keys = [key[0] | 0, key[1] | 0, 0x1bd11bda ^ key[0] ^ key[1]] as const
  let x0 = (counter[0] + keys[0]) | 0
  let x1 = (counter[1] + keys[1]) | 0
  for (let round = 0; round < 20; round++) {
    const turn = ROTATIONS[(round % 8) as 0]
    x0 = (x0 + x1) | 0
    x1 = ((x1 << turn) | (x1 >>> (32 - turn))) ^ x0
    if (round % 4 === 3) {
      const injection = (round + 1) / 4
      x0 = (x0 + keys[(injection % 3) as 0]) | 0
      x1 = (x1 + keys[((injection + 1) % 3) as 0] + injection) | 0
    }
  }
  return [x0, x1]
}
