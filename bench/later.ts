/**
 * Words of the stable interface that later releases bring. Refused by name: a
 * word that is known to come must not look like a mistake, nor be ignored.
 */
import { UsageError } from './exit.ts'

const LATER_COMMANDS = ['plan', 'sweep', 'diff', 'report', 'client', 'check', 'playground']

export const LATER_OPTIONS = ['baseline', 'watch', 'vary', 'defects', 'profile']

/** @throws UsageError if `word` is a command of a later release */
export function refuseLaterCommand(word: string): void {
  if (LATER_COMMANDS.includes(word)) throw new UsageError(`the command ${word} is not part of this release`)
}

/** @throws UsageError if `option` (without its dashes) is one of a later release */
export function refuseLaterOption(option: string): void {
  if (LATER_OPTIONS.includes(option)) throw new UsageError(`--${option} is not part of this release`)
}
