/** Gates on what would be published; needs nothing from the network. */
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Platform, build } from 'esbuild'
import jsrJson from '../../jsr.json' with { type: 'json' }
import packageJson from '../../package.json' with { type: 'json' }
import { operations } from '../../src/api/operations.ts'
import { pack, root, run } from './tarball.ts'

claim(
  'has the same version in jsr.json, and entries that exist',
  packageJson.version === jsrJson.version &&
    Object.values(jsrJson.exports).every((path) => existsSync(join(root, path))),
)

/** What is needed when it runs; the other has types only. */
const dependencies = Object.keys(packageJson.dependencies).filter((name) => name !== '@standard-schema/spec')
const { folder, tarball } = pack()
const installed = join(folder, 'node_modules/social-search-sdk')
try {
  // Both exit with an error for anything they have to say; `esm-only` stands for what `engines` says: Node requires ES modules.
  run('npx', ['publint', 'run', tarball, '--strict'])
  claim('passes publint', true)
  run('npx', ['attw', tarball, '--profile', 'esm-only'])
  claim('passes attw', true)

  mkdirSync(installed, { recursive: true })
  run('tar', ['-xzf', tarball, '-C', installed, '--strip-components', '1'])
  const files = readdirSync(installed, { recursive: true, encoding: 'utf8' })
  claim(
    'holds only what users need',
    files.every((file) =>
      /^(dist|docs|AGENTS|llms|LICENSE|README|CHANGELOG|SECURITY|package\.json)/.test(file),
    ),
  )
  const { main, types } = packageJson
  claim(
    'can be found by tools that know no exports',
    [main, types].every((path) => files.includes(path.slice(2))),
  )
  const dangling = files
    .filter((file) => file.endsWith('.md'))
    .flatMap((file) =>
      [...readFileSync(join(installed, file), 'utf8').matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(
        ([, link = '']) => join(dirname(file), link),
      ),
    )
    // docs/guarantees.md leads to tests, which only the repository has.
    .filter((link) => !existsSync(join(installed, link)) && !link.startsWith('test/'))
  claim('links to no file that it does not hold', dangling.length === 0, dangling.join('\n'))
  // What is bundled for Node is readable as it is.
  const mapped = files.filter((file) => file.endsWith('.js') && !file.startsWith('dist/bundled/'))
  claim('has source maps that resolve', mapped.every(hasResolvingMap))

  cpSync(join(root, 'test/packaging/one-copy.mjs'), join(folder, 'one-copy.mjs'))
  const loaded = run(process.execPath, ['one-copy.mjs'], folder).trim()
  claim('shares its errors and limiters between entry points in Node, without any other package', true)
  const count = filesOf(loaded).size
  claim('loads at most three files in Node', loaded.includes('bundled') && count <= 3, `${count} files`)
  const licenses = readFileSync(join(dirname(loaded), 'LICENSES.txt'), 'utf8')
  claim(
    'holds the licenses of the packages that are part of it',
    dependencies.every((name) => licenses.includes(`${name}\n`)),
  )
  const inCommand = readFileSync(join(installed, 'dist/bundled/cli/LICENSES.txt'), 'utf8')
  claim(
    'holds the licenses of the packages in its command',
    ['commander', '@modelcontextprotocol/server', 'zod'].every((name) => inCommand.includes(`${name}\n`)),
  )
  for (const name of dependencies)
    symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name))
  run(process.execPath, ['--conditions=module', 'one-copy.mjs'], folder)
  claim('shares them between entry points in bundles', true)
  const forBrowsers = run(process.execPath, ['--conditions=browser', 'one-copy.mjs'], folder).trim()
  claim(
    'shares them between entry points in bundles for browsers',
    forBrowsers.includes('/dist/browser/'),
    forBrowsers,
  )
} finally {
  rmSync(folder, { recursive: true })
}

const { text, inputs } = await bundle('createTransport, microblog')
const forWorkers = await bundle('createTransport, microblog', 'social-search-sdk', 'browser', [
  ...['workerd', 'worker', 'browser'],
])
// An error code of Node, a field of the calls that poll, and an issue of zod that only compiled objects have.
const unneeded = ['ECONNREFUSED', 'seenAt', 'ZodObjectJIT']
claim(
  'leaves out of bundles for browsers what only other runtimes need, and keeps it in those for workers',
  unneeded.every((word) => forWorkers.text.includes(word) && !text.includes(word)),
)
claim(
  'bundles for a browser without Node’s modules',
  inputs.every((input) => !input.startsWith('node:')),
)
const ofZod = inputs.filter((input) => input.includes('/zod/'))
claim(
  'bundles zod without its translations and its JSON Schema',
  ofZod.length > 0 && ofZod.every((input) => !/locales|json-schema|compile/.test(input)),
  ofZod.join('\n'),
)
claim('leaves the client out of a bundle that does not use it', !text.includes('SOCIAL_SEARCH_API_KEY'))
const others = operations.filter(({ id }) => !id.startsWith('microblog.'))
const forNode = await bundle('createTransport, microblog', 'social-search-sdk', 'node')
const kept = others.filter(({ path }) => text.includes(path) || forNode.text.includes(path))
claim(
  'leaves out the operations that a bundle does not use',
  kept.length === 0,
  kept.map(({ id }) => id).join(', '),
)

const client = await bundle('SocialSearch')
claim(
  'leaves the comparison of contracts out of a bundle with the whole client',
  !client.text.includes('field_missing'),
)

const flow = await bundle('createOAuthClient', 'social-search-sdk/oauth')
claim(
  'bundles its OAuth client for a browser, and leaves it out of other bundles',
  flow.inputs.every((input) => !input.startsWith('node:')) && !client.text.includes('code_challenge'),
)

async function bundle(
  names: string,
  from = 'social-search-sdk',
  platform: Platform = 'browser',
  conditions?: string[],
): Promise<{ text: string; inputs: string[] }> {
  const { metafile, outputFiles } = await build({
    stdin: { contents: `export { ${names} } from '${from}'`, resolveDir: root },
    bundle: true,
    platform,
    format: 'esm',
    minify: true,
    write: false,
    metafile: true,
    ...(conditions && { conditions }),
    // The package is seen from inside here, where it warns of imports that it rightly leaves out.
    logLevel: 'error',
    // The project's own tsconfig would lead to the sources.
    tsconfigRaw: {},
  })
  const inputs = Object.values(metafile.outputs).flatMap((output) => Object.keys(output.inputs))
  return { text: outputFiles[0]?.text ?? '', inputs }
}

function hasResolvingMap(file: string): boolean {
  const path = join(installed, file)
  const map = /\/\/# sourceMappingURL=(\S+)/.exec(readFileSync(path, 'utf8'))?.[1]
  if (map === undefined) return /^\s*(import|export)[^;]*;?\s*$/m.test(readFileSync(path, 'utf8'))
  const { sources, sourcesContent } = JSON.parse(readFileSync(join(dirname(path), map), 'utf8')) as {
    sources: string[]
    sourcesContent?: (string | null)[]
  }
  return sources.every((source, i) => sourcesContent?.[i] ?? existsSync(join(dirname(path), source)))
}

/** A file and its imports. */
function filesOf(path: string, files = new Set<string>()): Set<string> {
  if (files.has(path)) return files
  files.add(path)
  for (const [, name = ''] of readFileSync(path, 'utf8').matchAll(
    /^(?:import|export)[^'"]*?['"](\.[^'"]+)/gm,
  ))
    filesOf(join(dirname(path), name), files)
  return files
}

function claim(name: string, holds: boolean, details = ''): void {
  if (!holds) {
    console.error(`✗ the package ${name}\n${details}`)
    process.exit(1)
  }
  console.log(`✓ the package ${name}`)
}
