import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { newFolder } from '../support/folder.ts'
import { session } from './samples.ts'

const src = fileURLToPath(new URL('../../src/', import.meta.url))
const sandboxes = fileURLToPath(new URL('../support/sandbox.ts', import.meta.url))

/** A sample with imports from the sources; the clocks of its sandboxes stand still. */
export function fromSources(sample: string): string {
  return sample.replaceAll(/'social-search-sdk((?:\/\w+)*)'/g, (_, name: string) => {
    if (name.startsWith('/sandbox')) return JSON.stringify(sandboxes)
    const path = join(src, name === '' ? '' : 'extensions', name)
    return JSON.stringify(existsSync(`${path}.ts`) ? `${path}.ts` : join(path, 'index.ts'))
  })
}

/** Samples send these params and calls as the service may know them one day: the sandbox knows what is documented. */
const isAhead = (program: string) => /extraParams:|client\.request\(/.test(program)

/**
 * Runs each program in a folder of its own, against a sandbox of its own: it answers each `fetch`, those of pages through a proxy. The
 * environment has its address and its key.
 */
const runner = `
import { mkdtempSync, writeFileSync } from 'node:fs'
import { SocialSearch } from 'social-search-sdk'
import { createProxy } from 'social-search-sdk/proxy'
import { createSandbox } from 'social-search-sdk/sandbox'

globalThis.location = new URL('https://app.example/')
const folder = process.cwd()
const failures = {}
async function run(name, file, isAhead) {
  process.chdir(mkdtempSync(folder + '/run-'))
  const sandbox = createSandbox({ posts: 400, limits: { perMinute: false } })
  const page = { requestId: 'req_1', posts: [], meta: { returnedCount: 0, hasMore: false } }
  if (isAhead) sandbox.inject({ status: 200, body: page })
  const client = new SocialSearch(sandbox.clientOptions())
  const proxy = createProxy({ client, allow: ['microblog.search'], authorize: async () => ({ id: 'ada' }), budget: 100 })
  globalThis.fetch = (...args) => {
    const request = new Request(...args)
    return request.url.startsWith(location.href) ? proxy(request) : sandbox.fetch(request)
  }
  const baseUrl = 'https://' + file + '.example/v1' // programs share no limits
  Object.assign(process.env, { SOCIAL_SEARCH_BASE_URL: baseUrl, SOCIAL_SEARCH_API_KEY: sandbox.apiKey, EVENTS_SECRET: 'e' })
  await import(folder + '/' + file + '.ts').catch((error) => (failures[name] = String(error?.stack ?? error)))
}
`

/** Runs a program from the sources, and gives what it prints. */
export function runProgram(program: string, { cwd = newFolder(), timeout = 0 } = {}) {
  const args = ['--input-type=module-typescript', '--eval', fromSources(program)]
  return promisify(execFile)(process.execPath, args, { cwd, timeout })
}

/** Runs programs one after the other, each as a module; what each that failed has thrown, by its name. */
export async function runAll(programs: ReadonlyMap<string, string>): Promise<Record<string, string>> {
  const folder = mkdtempSync(join(tmpdir(), 'samples-'))
  const runs = [...programs].map(([name, program], index) => {
    const file = `sample-${index}`
    writeFileSync(join(folder, `${file}.ts`), fromSources(program).replace('listen(3000)', 'listen(0)'))
    return `await run(${JSON.stringify([name, file, isAhead(program)]).slice(1, -1)})`
  })
  const end = `writeFileSync(folder + '/failures.json', JSON.stringify(failures))\nprocess.exit()`
  symlinkSync(join(src, '../node_modules'), join(folder, 'node_modules'))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(folder, 'session.ts'), session)
  try {
    await runProgram([runner, ...runs, end].join('\n'), { cwd: folder })
    return JSON.parse(readFileSync(join(folder, 'failures.json'), 'utf8')) as Record<string, string>
  } finally {
    rmSync(folder, { recursive: true })
  }
}
