/** Runs the packed package on every runtime it claims to support: needs the registry for the runtimes. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cpSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import openTelemetry from '../opentelemetry/package.json' with { type: 'json' }
import { type Row, complaints } from '../canary/probe.ts'
import { expected, expectedWithoutUndici } from '../opentelemetry/expected.ts'
import { tunnelledService } from '../support/tunnel.ts'
import { pack, root, run } from './tarball.ts'
import { authority as ofFrozen, searchFrozen } from './frozen.ts'
import { arrived, authority, expectedCharges, startServices, stopServices } from './unsent.ts'
import { runOnWorkerd } from './workerd.ts'

const { folder, tarball } = pack()
const installed = join(folder, 'node_modules')
const runtimes: [name: string, command: string, args: string[]][] = [
  ['Node 22', join(installed, 'node-22/bin/node'), []],
  ['Node 24', process.execPath, []],
  ['Node 26', join(installed, 'node-26/bin/node'), []],
  ['Deno', join(installed, '.bin/deno'), ['run', '--allow-all', '--no-check']],
  ['Bun', join(installed, '.bin/bun'), []],
]

/** What comes of the calls in `consumer/proxy.mjs`, wherever it runs. */
const throughProxy = {
  ...{ posts: 40, huge: 413, forged: 403, nobody: 401 },
  disallowed: ['PermissionDeniedError', 'operation_not_allowed', 'no'],
  ...{ spentByRefusals: 0, last: 20 },
  exhausted: ['CreditBudgetError', 'credit_budget', 'no'],
  ...{ credits: 6, charged: 6, signed: 202, unsigned: 401, events: 1 },
}

try {
  cpSync(join(root, 'test/packaging/consumer'), folder, { recursive: true })
  cpSync(join(root, 'test/canary'), join(folder, 'canary'), { recursive: true })
  for (const file of ['main.ts', 'scenario.ts'])
    cpSync(join(root, 'test/opentelemetry', file), join(folder, 'opentelemetry', file))
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }))
  const programs = ['deno@2', 'bun@1', 'node-22@npm:node@22', 'node-26@npm:node@26', 'workerd@1']
  const others = Object.entries(openTelemetry.dependencies).map(([name, version]) => `${name}@${version}`)
  run('npm', ['install', '--silent', tarball, ...programs, ...others], folder)
  const charges = new Map<string, Record<string, string>>()
  for (const [name, command, args] of runtimes) {
    const start = (...file: string[]) =>
      promisify(execFile)(command, [...args, ...file], { cwd: folder, timeout: 300_000 })
    await goThroughProxy(command, [...args, 'outgoing.mjs'], name)
    console.log(`✓ ${name} goes through a proxy, to a service with a CA of its own`)
    const { stdout } = await start('consumer.ts')
    assert.match(stdout, /10 credits spent, 40 left/)
    console.log(`✓ ${name} runs the package`)
    charges.set(name, await chargesOf(name, command, args))
    console.log(`✓ ${name} knows which searches were not sent, counts no other as free, and sends each once`)
    assert.deepEqual(await afterFreezes(command, args), Array(24).fill('answered'))
    console.log(`✓ ${name} sends on no connection that died while it was frozen`)
    const report = JSON.parse((await start('proxy.mjs')).stdout) as { name: string }
    assert.deepEqual({ ...report, name }, { ...throughProxy, name })
    console.log(`✓ ${name} serves a proxy and a receiver of events with ${report.name}`)
    const exported = JSON.parse((await start('opentelemetry/main.ts')).stdout) as object
    assert.deepEqual(exported, name.startsWith('Node') ? expected : expectedWithoutUndici)
    console.log(`✓ ${name} gives OpenTelemetry the spans and metrics of calls`)
    assert.deepEqual(complaints(JSON.parse((await start('canary/run.ts')).stdout) as Row[]), [])
    console.log(`✓ ${name} shows no secret on any surface`)
  }
  console.table(Object.fromEntries(charges))
  await runOnWorkerd(folder)
  console.log('✓ workerd keeps the limits over all requests, with a client and a proxy that are kept')
} finally {
  rmSync(folder, { recursive: true })
}

/** Searches a service that only a proxy reaches, with the environment alone and, except on Node, with a fetch of its own. */
async function goThroughProxy(command: string, args: string[], name: string): Promise<void> {
  const hasOwn = !name.startsWith('Node')
  // Bun does not say that the proxy forbids the host.
  const attempts = name === 'Bun' ? 3 : 1
  const { baseUrl, proxy, ca, client, arrived, close } = await tunnelledService()
  const file = join(folder, 'ca.pem')
  writeFileSync(file, ca)
  try {
    const env = {
      ...{ ...process.env, HTTPS_PROXY: proxy, NODE_USE_ENV_PROXY: '1' },
      ...{ NODE_EXTRA_CA_CERTS: file, DENO_CERT: file },
      ...{ PROXY: proxy, CA: ca, CERT: client.cert, KEY: client.key },
      ...{ SOCIAL_SEARCH_BASE_URL: baseUrl, SOCIAL_SEARCH_API_KEY: 'org_canary_5f2b8c1d9e' },
    }
    const { stdout } = await promisify(execFile)(command, args, { cwd: folder, timeout: 300_000, env })
    const report = { found: hasOwn ? [1, 1] : [1], refused: ['connect', 'no', attempts] }
    assert.deepEqual(JSON.parse(stdout), report)
    assert.deepEqual(arrived, hasOwn ? [false, true] : [false])
  } finally {
    await close()
  }
}

/** What a search is charged at each service that fails; an answer that is lost after sending must be `unknown`. */
async function chargesOf(name: string, command: string, args: string[]): Promise<Record<string, string>> {
  const file = join(folder, 'authority.pem')
  writeFileSync(file, authority)
  const env = { ...process.env, NODE_EXTRA_CA_CERTS: file, DENO_CERT: file }
  const urls = await startServices()
  try {
    const words = [...args, 'unsent.mjs', JSON.stringify(urls)]
    const { stdout } = await promisify(execFile)(command, words, { cwd: folder, timeout: 300_000, env })
    const said = Object.entries(JSON.parse(stdout) as Record<string, string>)
    const charged = Object.fromEntries(said.map(([service, words]) => [service, words.split(' ')[0] ?? '']))
    assert.deepEqual(charged, expectedCharges(name), stdout)
    // A runtime that sends a request again by itself would pay twice.
    for (const [service, url] of Object.entries(urls))
      assert.equal(arrived.get(url) ?? 1, service.includes('kept') && arrived.has(url) ? 2 : 1, service)
    return charged
  } finally {
    stopServices()
  }
}

/** What searches come to after their process was frozen. */
async function afterFreezes(command: string, args: string[]): Promise<string[]> {
  const file = join(folder, 'frozen.pem')
  writeFileSync(file, ofFrozen)
  const options = { cwd: folder, env: { ...process.env, NODE_EXTRA_CA_CERTS: file, DENO_CERT: file } }
  const words = [...args, 'frozen.mjs']
  const old = await searchFrozen('HTTP/1.1', command, words, options)
  return [...old, ...(await searchFrozen('HTTP/2', command, words, options))]
}
