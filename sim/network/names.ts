/** Which addresses the names of a virtual network stand for. */
import { isIP } from 'node:net'

/**
 * Hosts get public addresses, one each in the order they appear, so that an
 * address guard treats them as it would on the Internet. The block is the one
 * after the documentation range 203.0.113.0/24, which guards refuse; nothing is
 * ever sent there.
 */
const BLOCK = '203.0.114'

const MOST_HOSTS = 254

export interface Names {
  add(hostname: string): void
  /** The addresses of a name, `undefined` for one that nobody has. A literal address stands for itself. */
  resolve(hostname: string): readonly string[] | undefined
}

export function createNames(): Names {
  const addresses = new Map<string, readonly string[]>()
  return {
    add(hostname) {
      if (addresses.has(hostname)) return
      if (addresses.size === MOST_HOSTS) throw new RangeError(`a network has at most ${MOST_HOSTS} names`)
      addresses.set(hostname, [`${BLOCK}.${addresses.size + 1}`])
    },
    resolve(hostname) {
      const literal = hostname.replace(/^\[(.*)\]$/, '$1')
      return isIP(literal) === 0 ? addresses.get(hostname) : [literal]
    },
  }
}
