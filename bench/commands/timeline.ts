import { EXIT, type ExitCode, UsageError } from '../exit.ts'
import { type Given, outOption, scenarioOptions } from '../options.ts'
import { asTimeline } from '../present/timeline.ts'
import type { Terminal } from '../terminal.ts'
import { loadOne, note, onlyScenario } from './loading.ts'
import { writeOut } from './output.ts'

/** Draws what happened on the wire, a drawing for each mechanism. */
export async function timeline(
  words: readonly string[],
  given: Given,
  terminal: Terminal,
): Promise<ExitCode> {
  const file = onlyScenario('timeline', words)
  const outFiles = outOption(given)
  for (const { file: out, format } of outFiles)
    if (format !== 'table') throw new UsageError(`--out ${out}: a timeline is text: .txt`)
  const quiet = given['quiet'] === true
  const { scenario, warnings } = loadOne(file, scenarioOptions(given))
  note(warnings, terminal, quiet)

  const { replay } = await import('../../sim/replay/index.ts')
  const drawings: string[] = []
  for (const entry of scenario.mechanisms)
    drawings.push(asTimeline({ scenario, ...(await replay(scenario, entry)) }))
  const text = drawings.join('\n')
  terminal.stdout.write(text)
  for (const { file: out } of outFiles) {
    writeOut(out, text)
    note([`wrote ${out}`], terminal, quiet)
  }
  return EXIT.fine
}
