import { stringify } from 'yaml'

/** A scenario that a program made, as a file a person can read and keep. */
export const writtenScenario = (document: Readonly<Record<string, unknown>>): string =>
  stringify(document, { lineWidth: 100 })
