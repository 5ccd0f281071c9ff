import type { LoadedScenario } from '../../sim/index.ts'
import { nameInResults } from '../assets.ts'
import { filesOf } from './pedigree.ts'
import { textWidth } from './wrap.ts'

type ResolvedValue = LoadedScenario['values'][number]

/** Paths and values longer than this do not push the origins of all others aside. */
const ALIGNED_MAX = 60

/** A scenario's values, one a line, with where each came from. */
export function asResolved({ scenario, values }: LoadedScenario): string {
  const written = values.map((value) => ({
    text: `${value.path}: ${textOf(value)}`,
    origin: originOf(value),
  }))
  const width = Math.min(ALIGNED_MAX, Math.max(0, ...written.map(({ text }) => textWidth(text))))
  return [
    `# ${scenario.name}: ${filesOf(scenario)}`,
    ...written.map(
      ({ text, origin }) => `${text}${' '.repeat(Math.max(0, width - textWidth(text)))}  # ${origin}`,
    ),
    '',
  ].join('\n')
}

const textOf = ({ value }: ResolvedValue): string =>
  typeof value === 'string' ? value : JSON.stringify(value)

function originOf({ origin, file, line }: ResolvedValue): string {
  if (file === undefined) return origin
  const place = line === undefined ? nameInResults(file) : `${nameInResults(file)}:${line}`
  return origin === 'base' ? `${place} (base)` : place
}
