import type { Chance } from './chance.ts'

/** A scenario as the file would hold it. */
export type Document = Record<string, unknown>

/** How it is written: JSON is YAML. */
export const textOf = (document: Document): string => JSON.stringify(document)

export const ifAny = (key: string, list: readonly unknown[]): Document =>
  list.length > 0 ? { [key]: list } : {}

export const seconds = (chance: Chance, least: number, most: number): string =>
  `${chance.whole(least, most)}s`
