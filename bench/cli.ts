#!/usr/bin/env node
/** The program: one command line in, results on stdout, all else on stderr, an exit code. */
import { EXIT } from './exit.ts'
import { main } from './main.ts'
import { ownTerminal } from './terminal.ts'

for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    // Whoever reads may stop before the end, as `head` does: nothing to complain about, nothing left to write.
    if (error.code === 'EPIPE') return
    process.exitCode = EXIT.fault
    if (stream === process.stdout) process.stderr.write(`delivery-bench: cannot write: ${error.message}\n`)
  })

// No process.exit: what is still on its way to a pipe would be cut off.
const code = await main(process.argv.slice(2), ownTerminal())
process.exitCode ??= code
