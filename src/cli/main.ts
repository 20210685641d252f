#!/usr/bin/env node
import module from 'node:module'

// Node keeps the compiled code for the next start. It is missing in Node 22.0 and other runtimes.
;(module as Partial<typeof module>).enableCompileCache?.()
const { main } = await import('./program.ts')
await main(process.argv.slice(2))
