import { defineConfig } from 'vitest/config'
import { leftOut, projects } from './test/suites.ts'

export default defineConfig({
  test: { projects, reporters: ['default', leftOut()], testTimeout: 20_000 },
})
