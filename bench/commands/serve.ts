import type { Scenario } from '../../sim/index.ts'
import { serve as serveScenario, SPEED_MAX, type ServeOptions } from '../../sim/serving/index.ts'
import { EXIT, type ExitCode, UsageError } from '../exit.ts'
import { addressOption, type Given, scenarioOptions, speedOption } from '../options.ts'
import type { Terminal } from '../terminal.ts'
import { loadOne, note, onlyScenario } from './loading.ts'

/**
 * Serves a scenario's agent, or the venue finder, until the process is told to stop. Prints the
 * address alone on stdout once it can be called, for scripts that read it.
 */
export async function serve(words: readonly string[], given: Given, terminal: Terminal): Promise<ExitCode> {
  const quiet = given['quiet'] === true
  const tell = (...lines: string[]) => note(lines, terminal, quiet)
  const { host, port } = addressOption(given)
  const speed = speedOption(given, SPEED_MAX)
  const scenario = scenarioIn(words, given, tell)

  const heldBack = new Set<string>()
  const { origin, cardUrl, close } = await started({
    scenario,
    host,
    port,
    speed,
    remoteWebhooks: given['remote-webhooks'] === true,
    onHeldBack(url) {
      const receiver = new URL(url).origin
      if (heldBack.has(receiver)) return
      heldBack.add(receiver)
      tell(`no webhook is posted to ${receiver}: it is not this machine; --remote-webhooks allows it`)
    },
    onFault(error) {
      const { message, stack } = error instanceof Error ? error : new Error(String(error))
      terminal.stderr.write(`delivery-bench: this is a bug of delivery-bench: ${message}\n`)
      if (process.env['DEBUG']) terminal.stderr.write(`${stack}\n`)
    },
  })
  const stopped = untilStopped()
  terminal.stdout.write(`${origin}\n`)
  tell(
    `serving ${scenario?.name ?? 'the venue finder'} ${pace(speed)}; its card is ${cardUrl}; Ctrl-C ends it`,
  )
  if (new URL(origin).hostname !== new URL(`http://${bracketed(host)}`).hostname)
    tell(`all addresses of this machine answer, and the card names ${origin}: clients elsewhere need --host`)

  await stopped
  await close()
  return EXIT.fine
}

/** @throws UsageError if a scenario that nobody named is to be changed */
function scenarioIn(
  words: readonly string[],
  given: Given,
  tell: (...lines: string[]) => void,
): Scenario | undefined {
  const options = scenarioOptions(given)
  if (words.length === 0) {
    if (options.sets.length > 0) throw new UsageError('--set changes a scenario: name its file')
    return undefined
  }
  const { scenario, warnings } = loadOne(onlyScenario('serve', words), options)
  tell(...warnings)
  return scenario
}

const pace = (speed: number): string =>
  speed === 1
    ? 'in real time'
    : speed > 1
      ? `${speed} times as fast as real time`
      : `at ${speed} of real time`

const bracketed = (host: string): string => (host.includes(':') ? `[${host}]` : host)

/** Resolves at the first Ctrl-C or polite end from outside. The next one ends the process at once. */
const untilStopped = (): Promise<void> =>
  new Promise((resolve) => {
    const stop = () => {
      process.off('SIGINT', stop).off('SIGTERM', stop)
      resolve()
    }
    process.on('SIGINT', stop).on('SIGTERM', stop)
  })

/** @throws UsageError if nobody can listen there */
async function started(options: ServeOptions): ReturnType<typeof serveScenario> {
  try {
    return await serveScenario(options)
  } catch (error) {
    const reason = whyNot(error as NodeJS.ErrnoException, options)
    throw reason === undefined ? error : new UsageError(reason)
  }
}

/** One sentence for whoever chose host and port, unless it has nothing to do with them. */
function whyNot(
  { code, syscall, message }: NodeJS.ErrnoException,
  { host, port }: ServeOptions,
): string | undefined {
  const otherPort = '--port takes another one, or 0 for any free one'
  const otherHost =
    '--host takes 127.0.0.1 (the default), another address of this machine, or 0.0.0.0 for all'
  switch (code) {
    case 'EADDRINUSE':
      return `port ${port} of ${host} is taken: ${otherPort}`
    case 'EACCES':
      return `this user may not listen on port ${port}: ${otherPort}`
    case 'EADDRNOTAVAIL':
      return `${host} is not an address of this machine: ${otherHost}`
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'ERR_INVALID_URL':
      return `nobody knows the host ${host}: ${otherHost}`
    case undefined:
    default:
      return syscall === undefined ? undefined : `cannot listen on port ${port} of ${host}: ${message}`
  }
}
