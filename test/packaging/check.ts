/** Gates on what would be published; needs nothing from the network. */
import { existsSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { build } from 'esbuild'
import { operations } from '../../src/contract/operations.ts'
import { pack, root, run } from './tarball.ts'

const { folder, tarball } = pack()
try {
  // Both exit with an error for anything they have to say; `esm-only` stands for what `engines` says: Node requires ES modules.
  run('npx', ['publint', 'run', tarball, '--strict'])
  claim('passes publint', true)
  run('npx', ['attw', tarball, '--profile', 'esm-only'])
  claim('passes attw', true)

  run('tar', ['-xzf', tarball, '-C', folder])
  const files = readdirSync(join(folder, 'package'), { recursive: true, encoding: 'utf8' })
  claim(
    'holds only what users need',
    files.every((file) => /^(dist|docs|LICENSE|README|CHANGELOG|SECURITY|package\.json)/.test(file)),
  )
  claim('has source maps that resolve', files.filter((file) => file.endsWith('.js')).every(hasResolvingMap))
} finally {
  rmSync(folder, { recursive: true })
}

const { text, inputs } = await bundle('createTransport, microblog')
claim(
  'bundles for a browser without Node’s modules',
  inputs.every((input) => !input.startsWith('node:')),
)
claim(
  'bundles only zod/mini',
  inputs.every((input) => !/zod\/v4\/(classic|locales)/.test(input)),
)
claim('leaves the client out of a bundle that does not use it', !text.includes('SOCIAL_SEARCH_API_KEY'))
const others = operations.filter(({ id }) => !id.startsWith('microblog.'))
const kept = others.filter(({ path }) => text.includes(path))
claim(
  'leaves out the operations that a bundle does not use',
  kept.length === 0,
  kept.map(({ id }) => id).join(', '),
)

const client = await bundle('SocialSearch')
claim(
  'leaves JSON Schema and the comparison of contracts out of a bundle with the whole client',
  client.inputs.every((input) => !input.includes('json-schema')) && !client.text.includes('field_missing'),
)

const flow = await bundle('createOAuthClient', 'social-search-sdk/oauth')
claim(
  'bundles its OAuth client for a browser, and leaves it out of other bundles',
  flow.inputs.every((input) => !input.startsWith('node:')) && !client.text.includes('code_challenge'),
)

async function bundle(
  names: string,
  from = 'social-search-sdk',
): Promise<{ text: string; inputs: string[] }> {
  const { metafile, outputFiles } = await build({
    stdin: { contents: `export { ${names} } from '${from}'`, resolveDir: root },
    bundle: true,
    format: 'esm',
    minify: true,
    write: false,
    metafile: true,
    // The package is seen from inside here, where it warns of imports that it rightly leaves out.
    logLevel: 'error',
    // The project's own tsconfig would lead to the sources.
    tsconfigRaw: {},
  })
  const inputs = Object.values(metafile.outputs).flatMap((output) => Object.keys(output.inputs))
  return { text: outputFiles[0]?.text ?? '', inputs }
}

function hasResolvingMap(file: string): boolean {
  const path = join(folder, 'package', file)
  const map = /\/\/# sourceMappingURL=(\S+)/.exec(readFileSync(path, 'utf8'))?.[1]
  if (map === undefined) return /^\s*(import|export)[^;]*;?\s*$/m.test(readFileSync(path, 'utf8'))
  const { sources, sourcesContent } = JSON.parse(readFileSync(join(dirname(path), map), 'utf8')) as {
    sources: string[]
    sourcesContent?: (string | null)[]
  }
  return sources.every((source, i) => sourcesContent?.[i] ?? existsSync(join(dirname(path), source)))
}

function claim(name: string, holds: boolean, details = ''): void {
  if (!holds) {
    console.error(`✗ the package ${name}\n${details}`)
    process.exit(1)
  }
  console.log(`✓ the package ${name}`)
}
