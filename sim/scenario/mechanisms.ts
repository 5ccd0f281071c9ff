/** The mechanisms a scenario compares, as policies with their words. */
import type * as z from 'zod'
import { wordOf } from '../policies/word.ts'
import type { Policy } from '../policies/policy.ts'
import type { Say } from './job.ts'
import type { MechanismEntry } from './scenario.ts'
import { Poll, type MechanismMap } from './schema.ts'
import { durationUs } from './values.ts'

type EntryInput = z.output<typeof MechanismMap>

const KINDS = ['poll', 'stream', 'push'] as const

/**
 * The entries of a list in long form, `undefined` where the schema has
 * complained. Without problems there are as many as the list has.
 */
export function resolveMechanisms(list: readonly (EntryInput | undefined)[], say: Say): MechanismEntry[] {
  const names: string[] = []
  return list.flatMap((entry, index): MechanismEntry[] => {
    if (entry === undefined) return []
    const kinds = KINDS.filter((kind) => entry[kind] !== undefined)
    if (kinds.length !== 1) {
      const message =
        kinds.length === 0
          ? 'which mechanism? write poll, stream or push'
          : `one mechanism per entry: ${kinds.join(' and ')} are ${kinds.length === 2 ? 'two' : 'three'}\nwrite one entry for each`
      say(['mechanisms', index], message)
      return []
    }
    const policy = policyOf(entry)
    const word = wordOf(policy)
    const name = entry.label ?? word
    if (names.includes(name)) {
      say(['mechanisms', index], `"${name}" is there twice: give one of them a label`)
    }
    names.push(name)
    return [{ label: entry.label, word, policy }]
  })
}

/** The policy of an entry that names one mechanism. */
export function policyOf(entry: EntryInput): Policy {
  if (entry.stream !== undefined) return { kind: 'stream' }
  if (entry.push !== undefined) return { kind: 'push' }
  const { interval, first, waitFrom } = Poll.parse(entry.poll)
  const intervalUs = durationUs(interval)
  return {
    kind: 'poll',
    intervalUs,
    firstAfterUs: first === 'now' ? 0 : first === 'after' ? intervalUs : durationUs(first),
    waitFrom,
  }
}
