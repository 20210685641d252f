/** Runs the tests that draw random plans on a seed that follows from the commit; `npm test` draws the same ones each time. */
import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { partOfCommit } from '../clock/commit.ts'

const root = join(import.meta.dirname, '../..')
const files = globSync('test/**/*.test.ts', { cwd: root }).filter((file) =>
  readFileSync(join(root, file), 'utf8').includes('support/chance.ts'),
)
const TEST_SEED = process.env['TEST_SEED'] ?? String(partOfCommit(0))
console.log(`TEST_SEED=${TEST_SEED} npx vitest run ${files.join(' ')}`)
const args = ['vitest', 'run', '--reporter', 'dot', '--silent=true', ...files]
const { status } = spawnSync('npx', args, { cwd: root, stdio: 'inherit', env: { ...process.env, TEST_SEED } })
process.exitCode = status ?? 1
