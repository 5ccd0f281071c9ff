import type { Exchange, Surroundings } from './exchange.ts'

/**
 * A request that the network delivers a second time. It belongs to no asker:
 * its octets count nowhere and it has no record, but no run ends before it was
 * dealt with.
 */
export function startTwin(
  { clock, began, over }: Pick<Surroundings, 'clock' | 'began' | 'over'>,
  { from, to }: Pick<Exchange, 'from' | 'to'>,
  atUs: number,
  serve: () => Promise<void>,
): void {
  const cancel = clock.at(atUs, () => {
    void serve().finally(() => over(twin))
  })
  const twin: Exchange = { from, to, cutStream() {}, reset() {}, close: cancel }
  began(twin)
}
