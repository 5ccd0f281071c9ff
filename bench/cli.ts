#!/usr/bin/env node
/** The program: one command line in, results on stdout, all else on stderr, an exit code. */
import { main } from './main.ts'
import { ownTerminal } from './terminal.ts'

// Whoever reads may stop before the end, as `head` does: nothing to complain about, nothing left to write.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })

// No process.exit: what is still on its way to a pipe would be cut off.
process.exitCode = await main(process.argv.slice(2), ownTerminal())
