import { defineConfig } from 'vitest/config'
import { shiftClocks } from './test/clock/test-clock.ts'
import { leftOut, projects } from './test/suites.ts'

shiftClocks(process.env)

export default defineConfig({
  // Much of the time is spent waiting for real sockets and processes, so no core needs to be left free.
  test: {
    projects,
    maxWorkers: '100%',
    reporters: ['default', leftOut()],
    // Whatever the terminal of whoever runs the tests.
    env: { NO_COLOR: '', FORCE_COLOR: '0' },
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
})
