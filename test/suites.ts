import { availableParallelism } from 'node:os'
import type { Reporter, Vitest } from 'vitest/node'

/** Suites that `npm test` leaves out, since they take long or need what not every machine has, and the commands that run them. */
const apart: Readonly<Record<string, string>> = {
  processes: 'npm run test:processes (starts many processes)',
  redis: 'npm run test:redis (needs redis-server)',
  postgres: 'npm run test:postgres (needs postgresql)',
  browser: 'npm run test:browser (needs chromium)',
  dashboard: 'npm run test:dashboard (needs chromium)',
  examples: 'npm run test:examples (needs chromium, redis-server and the registry)',
  agents: 'npm run test:agents (needs the registry)',
  stores: 'npm run test:stores (needs redis-server and the registry)',
  opentelemetry: 'npm run test:otel (needs the registry)',
}

/** The tests of a separate suite are in the folder with its name. */
export const projects = [
  {
    extends: true as const,
    test: {
      name: 'main',
      // Some files wait for real sockets and tabs, and leave their core to another.
      maxWorkers: availableParallelism() + 1,
      include: ['test/**/*.test.ts'],
      // `test/apps` is a separate project: npm run apps.
      exclude: [...Object.keys(apart), 'apps'].map((name) => `test/${name}/**`),
      typecheck: { enabled: true, include: ['test/types/**/*.test-d.ts'], tsconfig: 'tsconfig.json' },
    },
  },
  ...Object.keys(apart).map((name) => ({
    extends: true as const,
    // Real machines take real time.
    test: {
      ...{ name, include: [`test/${name}/**/*.test.ts`], testTimeout: 90_000, hookTimeout: 60_000 },
      expect: { poll: { timeout: 30_000 } },
      ...(name === 'examples' && { globalSetup: 'test/examples/pack.ts', testTimeout: 300_000 }),
    },
  })),
]

/** Says in the end what has not been run. */
export function leftOut(): Reporter {
  let ran: string[] = []
  return {
    onInit: (vitest: Vitest) => void (ran = vitest.projects.map(({ name }) => name)),
    onTestRunEnd() {
      for (const [name, command] of Object.entries(apart)) {
        if (!ran.includes(name)) console.log(`Left out: the suite ${name}; run it by ${command}`)
      }
    },
  }
}
