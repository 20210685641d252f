import type { Reporter, Vitest } from 'vitest/node'

/** Suites that `npm test` leaves out, and why. */
export const apart: Readonly<Record<string, string>> = {
  processes: 'starts many processes',
  time: 'waits in real time',
  redis: 'needs redis-server',
  postgres: 'needs postgresql and pgbouncer',
  browser: 'needs chromium, firefox-esr and webkit2gtk-driver',
  dashboard: 'needs chromium and the registry',
  examples: 'needs chromium, redis-server and the registry',
  agents: 'needs the registry',
  stores: 'needs redis-server and the registry',
  opentelemetry: 'needs the registry',
}

const random = 'test/support/random.ts'
const noFolders = 'test/support/no-folders.ts'
const setupFiles = [random, noFolders, 'test/support/own-limits.ts', 'test/support/real-timers.ts']

/** The tests of a separate suite are in the folder with its name. */
export const projects = [
  {
    extends: true as const,
    test: {
      name: 'main',
      setupFiles,
      // Files leave no clock, global or module behind, so a worker loads the modules once.
      isolate: false,
      include: ['test/**/*.test.ts'],
      // `test/apps` is a separate project: npm run apps.
      exclude: [...Object.keys(apart), 'apps'].map((name) => `test/${name}/**`),
    },
  },
  ...Object.keys(apart).map((name) => ({
    extends: true as const,
    test: {
      ...{ name, include: [`test/${name}/**/*.test.ts`], testTimeout: 180_000 },
      setupFiles: [random, noFolders],
      globalSetup: ['test/set-up.ts', ...(name === 'examples' ? ['test/examples/pack.ts'] : [])],
      ...(name === 'examples' && { testTimeout: 300_000 }),
    },
  })),
]

/** Says in the end what has not been run. */
export function leftOut(): Reporter {
  let ran: string[] = []
  return {
    onInit: (vitest: Vitest) => void (ran = vitest.projects.map(({ name }) => name)),
    onTestRunEnd() {
      for (const [name, reason] of Object.entries(apart)) {
        if (!ran.includes(name))
          console.log(`Left out: the suite ${name} (${reason}); run it by npx vitest run --project ${name}`)
      }
    },
  }
}
