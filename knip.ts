import type { KnipConfig } from 'knip'
import { entryPoints } from './scripts/entry-points.ts'

export default {
  entry: [
    ...entryPoints.map(({ source }) => source),
    'test/redis/worker.ts',
    'scripts/*.ts',
    'examples/*.ts',
    'bench/simulate/{ablate,worker,worker-of-ablation}.ts',
    'bench/child/*.ts',
    'bench/shared/worker.ts',
    'bench/peers/*.ts',
    'test/**/*.test-d.ts',
    'test/oauth/worker.ts',
    'test/processes/refresher.ts',
    'test/integration/forgotten.ts',
    'test/integration/output.ts',
    'test/integration/through-proxy.ts',
    'test/processes/tenants.ts',
    'test/shared/thread.ts',
    'test/canary/run.ts',
    'test/soak/*.ts',
    'test/packaging/*.ts',
    'test/packaging/consumer/*',
    'test/browser/pages/*.ts',
  ],
  project: ['src/**/*.ts', 'test/**/*.ts', 'examples/**/*.ts', 'bench/**/*.ts', 'scripts/**/*.ts'],
  ignore: [
    'bench/peers/extra/**',
    'test/agents/**',
    'test/stores/**',
    'test/opentelemetry/**',
    'test/apps/**',
    'examples/*/**',
  ],
  ignoreBinaries: ['pgbouncer', 'redis-server', 'script'],
  ignoreDependencies: ['publint', '@arethetypeswrong/cli'],
} satisfies KnipConfig
