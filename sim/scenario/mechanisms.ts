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

/** The entries of a checked list in long form. */
export function resolveMechanisms(list: readonly EntryInput[], say: Say): MechanismEntry[] {
  const entries = list.flatMap((entry, index): MechanismEntry[] => {
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
    return [{ label: entry.label, word: wordOf(policy), policy }]
  })
  // Positions and entries go together only if every entry was understood.
  if (entries.length === list.length) refuseTwins(entries, say)
  return entries
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

function refuseTwins(entries: readonly MechanismEntry[], say: Say): void {
  const names = entries.map(({ label, word }) => label ?? word)
  for (const [index, name] of names.entries()) {
    if (names.indexOf(name) < index) {
      say(['mechanisms', index], `"${name}" is there twice: give one of them a label`)
    }
  }
}
