/** Installs the packed package into fresh projects, as a user would: needs the registry. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import packageJson from '../../package.json' with { type: 'json' }
import { checkNeighbors } from './peers.ts'
import { pack, root, run } from './tarball.ts'
import { sandboxFlag } from '../support/sandbox.ts'

const support = readFileSync(join(root, 'docs/support.md'), 'utf8')
const server = '@modelcontextprotocol/server'
/** As docs/support.md says. */
const [oldestNode = '', oldestTypeScript = ''] = ['Node', 'TypeScript'].map(
  (name) => new RegExp(`^- \\*\\*${name}\\*\\* (\\S+) and later`, 'm').exec(support)?.[1],
)
const command = 'node_modules/social-search-sdk/dist/cli/main.js'
const { folder, tarball } = pack()
try {
  cpSync(join(root, 'test/packaging/consumer'), folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }))
  // Not in the folder, since the project's own settings refuse such a file.
  const commonJs = "import { SocialSearch } from 'social-search-sdk'\nvoid SocialSearch.fromEnv\n"
  writeFileSync(join(folder, 'required.cts'), commonJs)
  const peers = ['@tanstack/query-core@5', '@opentelemetry/api@1']
  run('npm', ['install', '--silent', tarball, '@types/node@24', ...peers], folder)
  for (const version of [oldestTypeScript, '6', '7']) {
    run('npm', ['install', '--silent', '--no-save', `typescript@${version}`], folder)
    for (const moduleResolution of ['nodenext', 'bundler']) {
      writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(tsconfig(moduleResolution)))
      run('npx', ['tsc', '--noEmit'], folder)
    }
    const [, number] = run('npx', ['tsc', '--version'], folder).trim().split(' ')
    console.log(`✓ a consumer type-checks under TypeScript ${number}`)
  }
  console.log(`✓ ${run(process.execPath, ['consumer.ts'], folder).trim()}`)
  assert.equal(packageJson.engines.node, `>=${oldestNode}`)
  run('npm', ['install', '--silent', '--no-save', `node@${oldestNode}.0`], folder)
  const required = run(join(folder, 'node_modules/node/bin/node'), ['required.cjs'], folder).trim()
  console.log(`✓ Node ${oldestNode}.0: ${required}`)

  const mcp = spawnSync(process.execPath, [command, 'mcp', sandboxFlag], { cwd: folder, encoding: 'utf8' })
  const said = `social-search: mcp needs the package ${server}; install it: npm install ${server}`
  assert.equal(mcp.stderr.trim(), said)
  assert.equal(mcp.status, 1)
  console.log('✓ the command mcp tells how to install its server')

  run('npm', ['install', '--silent', 'ky@2', 'zod@4', `${server}@2`], folder)
  const agents = readFileSync(join(root, 'docs/agents.md'), 'utf8')
  const block = JSON.parse(/"args": (\[.*\])/.exec(agents)?.[1] ?? '[]') as string[]
  const args = block.map((arg) => arg.replace('/path/to/your/project', folder))
  const clientInfo = { name: 'test', version: '1' }
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo }
  const input = `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`
  // A client starts it in a folder of its own.
  const answer = spawnSync('npx', [...args, sandboxFlag], { cwd: tmpdir(), encoding: 'utf8', input })
  assert.match(answer.stdout, /"serverInfo"/, answer.stderr)
  console.log('✓ the block of docs/agents.md starts the server of tools from any folder')

  cpSync(join(root, 'test/packaging/load-all.mjs'), join(folder, 'load-all.mjs'))
  const program = "await import('./load-all.mjs')\nawait import('ky')\nawait import('zod')\n"
  writeFileSync(join(folder, 'own.mjs'), program)
  const loaded = run(process.execPath, ['own.mjs'], folder).trim().split('\n').at(-1) ?? ''
  const folders = Object.keys(JSON.parse(loaded) as object).map((path) =>
    path.replace(/^.*?\/node_modules\//, ''),
  )
  for (const name of ['ky', 'zod', 'p-retry', 'p-limit'])
    assert.deepEqual(
      folders.filter((path) => path.endsWith(name)),
      [name],
    )
  console.log('✓ a program with its own ky and zod loads one copy of each')

  await checkNeighbors(tarball)
} finally {
  rmSync(folder, { recursive: true })
}

/** The strictest that a user may have; without the DOM library, as in a plain Node project. */
function tsconfig(moduleResolution: string): object {
  return {
    compilerOptions: {
      target: 'ES2022',
      lib: ['ES2022'],
      module: moduleResolution === 'nodenext' ? 'nodenext' : 'preserve',
      moduleResolution,
      strict: true,
      declaration: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      skipLibCheck: false,
      types: ['node'],
    },
    include: ['consumer.ts', '*.cts'],
  }
}
