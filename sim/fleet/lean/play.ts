/** One run in the lean world: one scenario, one client, and the records a replay of it would leave, but for octets. */
import type { RunRecord } from '../../records/record.ts'
import type { LeanJournal } from './journal.ts'
import { createLeanTime } from './time.ts'
import { createLeanWorld, type LeanComer, type LeanGuest, type LeanScenario } from './world.ts'

/**
 * Plays a run of one client, which draws from the same streams as the world it is in.
 *
 * @param beginUs when the client comes
 * @returns when the run was over, or the horizon
 */
export function playLean(lean: LeanScenario, comer: LeanComer, beginUs = 0): number {
  const { clock, run: letPass } = createLeanTime(lean.scenario.horizonUs)
  const world = createLeanWorld(lean, clock, comer.random)
  let guest: LeanGuest | undefined
  if (beginUs === 0) guest = world.join(comer)
  else
    clock.at(beginUs, () => {
      guest = world.join(comer)
    })

  // The world goes on without the client: agent, receiver and network come to rest in turn, and those that may begin anew once more.
  let rests = 0
  const isAtRest = (): boolean => {
    switch (rests) {
      case 0:
      case 3:
        return world.agentIsIdle()
      case 1:
      case 4:
        return world.receiverIsIdle()
      default:
        return world.networkIsSettled()
    }
  }
  letPass(() => {
    if (guest?.hasEnded() !== true) return false
    while (rests < 5 && isAtRest()) rests++
    return rests === 5
  })
  world.close(comer.journal)
  return clock.nowUs()
}

/** A journal that keeps every record: one for each exchange, nothing is folded. */
export function createLeanJournal(): LeanJournal & { records: RunRecord[] } {
  const records: RunRecord[] = []
  return {
    records,
    append: (record) => void records.push(record),
    tellNews(exchange, news) {
      const poll = records.findLast((record) => record.kind === 'exchange' && record.number === exchange)
      if (poll?.kind === 'exchange') poll.news = news
    },
  }
}
