import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { shiftClocks } from './test/clock/test-clock.ts'
import { leftOut, projects } from './test/suites.ts'

shiftClocks(process.env)

export default defineConfig({
  test: {
    projects,
    // Some files wait for real sockets, processes and tabs, and leave their core to another.
    maxWorkers: availableParallelism() + 1,
    reporters: ['default', leftOut()],
    // Whatever the terminal of whoever runs the tests.
    env: {
      ...{ NO_COLOR: '', FORCE_COLOR: '0', TERM: 'xterm' },
      // Each process that a test starts finds the sources compiled.
      NODE_COMPILE_CACHE: fileURLToPath(new URL('node_modules/.cache/node', import.meta.url)),
    },
    testTimeout: 120_000,
    // A busy machine is slow.
    expect: { poll: { timeout: 100_000 } },
    hookTimeout: 240_000,
  },
})
