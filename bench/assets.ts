/** What travels with the package beside its code: found from here, in the source tree as in an installed `dist/`. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The scenarios a bare `delivery-bench` replays, by their path in the package. */
export const DEFAULT_SCENARIOS = ['scenarios/seed-table.yaml', 'scenarios/thorough-search.yaml'] as const

/** Every scenario that travels with the package, by its path in it, the default ones first. */
export function shippedScenarios(): string[] {
  const others = readdirSync(assetPath('scenarios'))
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => `scenarios/${name}`)
    .filter((path) => !(DEFAULT_SCENARIOS as readonly string[]).includes(path))
  return [...DEFAULT_SCENARIOS, ...others.toSorted()]
}

export const GOLDEN_FOLDER = 'results/golden'

/** The folder that holds this package's `package.json`. */
const PACKAGE_ROOT = nearestPackage(dirname(fileURLToPath(import.meta.url)))

/** Where a path of the package lies on this machine. */
export const assetPath = (path: string): string => join(PACKAGE_ROOT, path)

export function packageVersion(): string {
  const { version } = JSON.parse(readFileSync(assetPath('package.json'), 'utf8')) as { version: string }
  return version
}

/**
 * A file's name in results: one that belongs to the package is named from the
 * package's root, so that the same result has the same bytes wherever the
 * package lies; any other stays as it was given.
 */
export function nameInResults(file: string): string {
  const fromRoot = relative(assetPath('scenarios'), resolve(file))
  const outside = fromRoot.startsWith('..') || fromRoot === '' || resolve(fromRoot) === fromRoot
  const name = outside ? file : join('scenarios', fromRoot)
  return name.split(sep).join('/')
}

function nearestPackage(folder: string): string {
  if (existsSync(join(folder, 'package.json'))) return folder
  const parent = dirname(folder)
  if (parent === folder) throw new Error('the package.json of delivery-bench is missing')
  return nearestPackage(parent)
}
