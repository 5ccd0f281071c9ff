import type { Document } from './document.ts'

/**
 * The smallest document that still goes wrong, as far as leaving things out one
 * at a time gets: keys, entries of lists, arguments of the policy's word. What
 * is left is all needed.
 */
export async function shrink(
  document: Document,
  goesWrong: (smaller: Document) => Promise<boolean>,
): Promise<Document> {
  let smallest = document
  for (let shrunk = true; shrunk;) {
    shrunk = false
    for (const smaller of smallerOnes(smallest)) {
      if (!(await goesWrong(smaller))) continue
      smallest = smaller
      shrunk = true
      break
    }
  }
  return smallest
}

/** The document with one thing left out, big things first. */
function* smallerOnes(document: Document): Generator<Document> {
  for (const smaller of without(document)) if (smaller !== undefined) yield smaller as Document
}

function* without(value: unknown): Generator<unknown> {
  if (Array.isArray(value)) {
    if (value.length > 1) for (const index of value.keys()) yield value.toSpliced(index, 1)
    for (const [index, item] of value.entries())
      for (const smaller of without(item)) yield value.with(index, smaller)
  } else if (typeof value === 'object' && value !== null) {
    for (const key of Object.keys(value)) {
      const { [key]: _, ...rest } = value as Document
      yield rest
    }
    for (const [key, inner] of Object.entries(value))
      for (const smaller of without(inner)) yield { ...value, [key]: smaller }
  } else if (typeof value === 'string') yield* shorterWords(value)
}

/** A policy word with one part, or one argument of a part, left out. */
function* shorterWords(word: string): Generator<string> {
  if (!/^(?:poll|stream|push|blocking)/.test(word)) return
  for (const sign of ['+', '>']) {
    const parts = word.split(sign === '+' ? /\+(?=[a-z])/ : '>')
    if (parts.length > 1) for (const index of parts.keys()) yield parts.toSpliced(index, 1).join(sign)
  }
  for (const [argument] of word.matchAll(/,[^,+>]+/g)) yield word.replace(argument, '')
}
