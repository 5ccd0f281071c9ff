/** Columns a text takes on a terminal, as far as this program writes: one for each character. */
export const textWidth = (text: string): number => Array.from(text).length

/** `text` in lines of at most `width` characters, broken at blanks; a longer word has a line of its own. */
export function wrapped(text: string, width: number): string[] {
  const lines: string[] = []
  for (const word of text.trim().split(/\s+/)) {
    const last = lines.at(-1)
    if (last !== undefined && textWidth(last) + 1 + textWidth(word) <= width)
      lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}
