import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

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

/** What samples take as given, for samples that are run: a folder, and a client of a sandbox, which also answers each `fetch`. */
const given = fromSources(`
import { mkdtempSync } from 'node:fs'
import { SocialSearch } from 'social-search-sdk'
import { createSandbox } from 'social-search-sdk/sandbox'

const folder = process.cwd()
const given = () => {
  process.chdir(folder)
  process.chdir(mkdtempSync('sample-'))
  const sandbox = createSandbox({ posts: 1000, limits: { perMinute: false } })
  const { baseUrl, apiKey } = sandbox
  globalThis.fetch = (...request) => sandbox.fetch(new Request(...request))
  Object.assign(process.env, { SOCIAL_SEARCH_BASE_URL: baseUrl, SOCIAL_SEARCH_API_KEY: apiKey })
  return {
    client: new SocialSearch(sandbox.clientOptions()), baseUrl, apiKey, query: 'coffee',
    url: 'https://professionalnet.example/company/quillfeather-software', request: new Request(baseUrl),
    load: async () => null, save: async () => {}, later() {}, salvage() {}, review() {},
    userOf: async () => ({ id: 'ada' }),
  }
}
const failures = {}
`)

/** What each sample that failed has thrown, by its name. */
type Failures = Record<string, string>

/** Runs samples one after the other, each against a new sandbox. */
export async function runAll(samples: ReadonlyMap<string, string>): Promise<Failures> {
  const steps = [...samples].map(([name, sample]) => {
    const body = fromSources(sample).replaceAll(
      /^import (\* as )?([^]*?) from (.*)$/gm,
      (_, namespace: string | undefined, names: string, from: string) =>
        `const ${namespace === undefined ? names.replaceAll(/\btype \w+,?/g, '') : names} = await import(${from})`,
    )
    return `
await (async ({ client, baseUrl, apiKey, query, url, request, load, save, later, salvage, review, userOf }) => {
{ ${body} }
})(given()).catch((error) => (failures[${JSON.stringify(name)}] = String(error?.stack ?? error)))`
  })
  return failuresOf(`${given}${steps.join('\n')}`)
}

/** Runs samples one after the other, each as a module of its own that takes nothing as given. */
export async function runModules(samples: ReadonlyMap<string, string>): Promise<Failures> {
  const files = [...samples].map(([name, sample], index) => ({ name, file: `sample-${index}.ts`, sample }))
  const steps = files.map(
    ({ name, file }) => `
await import(folder + '/${file}').catch((error) => (failures[${JSON.stringify(name)}] = String(error?.stack ?? error)))`,
  )
  const code = `const folder = process.cwd(), failures = {}\n${steps.join('')}`
  return failuresOf(code, new Map(files.map(({ file, sample }) => [file, fromSources(sample)])))
}

/** Runs a program that collects failures, in a new folder with some files. */
async function failuresOf(
  program: string,
  files: ReadonlyMap<string, string> = new Map(),
): Promise<Failures> {
  const code = `${program}
process.chdir(folder)
;(await import('node:fs')).writeFileSync('failures.json', JSON.stringify(failures))
process.exit()`
  const folder = mkdtempSync(join(tmpdir(), 'samples-'))
  symlinkSync(join(src, '../node_modules'), join(folder, 'node_modules'))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  for (const [file, text] of files) writeFileSync(join(folder, file), text)
  try {
    const args = ['--input-type=module-typescript', '--eval', code]
    await promisify(execFile)(process.execPath, args, { cwd: folder })
    return JSON.parse(readFileSync(join(folder, 'failures.json'), 'utf8')) as Failures
  } finally {
    rmSync(folder, { recursive: true })
  }
}
