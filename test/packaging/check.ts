/** Gates on what would be published; needs nothing from the network. `--update` writes `surface.md`. */
import { spawnSync } from 'node:child_process'
import fs, { cpSync, existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { build } from 'esbuild'
import bounds from '../../bench/guard/bounds.json' with { type: 'json' }
import packageJson from '../../package.json' with { type: 'json' }
import { operations } from '../../src/api/operations.ts'
import { entryPoints } from '../../scripts/entry-points.ts'
import { checkSurface, typesLoadedBy, unnamedTypes } from './surface.ts'
import { pack, root, run } from './tarball.ts'

claim(
  'has the public declarations of surface.md',
  checkSurface(process.argv.includes('--update')),
  'if the change is intended, run npm run packaging -- --update, and commit test/packaging/surface.md',
)

// Bases of what is exported, and types that a compiler resolves before it writes a declaration.
const needNoName = [
  ...['MicroblogSearchBody', 'ProfessionalnetPostsSearchBody', 'IndustriesListBody'],
  ...['NextOf', 'ParamsById', 'MethodOf', 'At', 'NoRefetch', 'PostOf'],
]
const unnamed = unnamedTypes().filter((name) => !needNoName.includes(name))
claimNone('exports the types of its signatures, so that a library may export parts of a client', unnamed)

const types = entryPoints.map(({ path }) => ({ path, files: typesLoadedBy(path) }))
// The peer of /mcp has types of zod itself.
const zodOf = types.filter(({ path, files }) => !path.endsWith('/mcp') && files.join().includes('/zod/'))
const withZod = zodOf.map(({ path }) => path).join('\n')
claim('loads the types of zod for /schemas alone', withZod === 'social-search-sdk/schemas', withZod)
const [main] = types
claim('loads at most 3 files of types for a client', Number(main?.files.length) <= 3, main?.files.join('\n'))
const declared = types.flatMap(({ files }) => files.filter((file) => file.startsWith(join(root, 'dist'))))
const internal = declared.filter((file) => readFileSync(file, 'utf8').includes('@internal'))
claimNone('declares nothing internal', internal)
const shortened = declared.filter((file) => /^(im|ex)port .*{.* as \w\b/m.test(readFileSync(file, 'utf8')))
claimNone('declares every type under its own name', shortened)

/** What is needed when it runs; the other has types only. */
const dependencies = Object.keys(packageJson.dependencies).filter((name) => name !== '@standard-schema/spec')
const { folder, tarball } = pack()
const packages = join(folder, 'node_modules')
const installed = join(packages, 'social-search-sdk')
try {
  // Both exit with an error for anything they have to say; `esm-only` stands for what `engines` says: Node requires ES modules.
  run('npx', ['publint', 'run', tarball, '--strict'])
  claim('passes publint', true)
  run('npx', ['attw', tarball, '--profile', 'esm-only'])
  claim('passes attw', true)

  fs.mkdirSync(installed, { recursive: true })
  run('tar', ['-xzf', tarball, '-C', installed, '--strip-components', '1'])
  const files = fs.readdirSync(installed, { recursive: true, encoding: 'utf8' })
  const users = /^(dist|docs|AGENTS|skills|llms|LICENSE|README|CHANGELOG|SECURITY|package\.json)/
  const needless = files.filter((file) => !users.test(file))
  claimNone('holds only what users need', needless)
  const links = files.filter((file) => file.endsWith('.md')).flatMap(linksIn)
  const dangling = links.filter((link) => !existsSync(join(installed, link)))
  claimNone('links to no file that it does not hold', dangling)
  const foreign = files.filter((file) => file.endsWith('.js')).flatMap(foreignSourcesOf)
  claimNone('holds no code of other packages, by its source maps', foreign)

  for (const name of [...dependencies, ...Object.keys(packageJson.peerDependencies)]) {
    fs.mkdirSync(dirname(join(packages, name)), { recursive: true })
    symlinkSync(join(root, 'node_modules', name), join(packages, name))
  }
  cpSync(join(import.meta.dirname, 'load-all.mjs'), join(folder, 'load-all.mjs'))
  const [byClient = {}, byAll = {}] = run(process.execPath, ['--disable-proto=throw', 'load-all.mjs'], folder)
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Record<string, number>)
  const foldersOf = (name: string) =>
    Object.keys(byAll).filter((path) => path.endsWith(`/node_modules/${name}`))
  claim('shares its classes between import paths', true)
  const several = dependencies.filter((name) => foldersOf(name).length !== 1)
  claimNone('loads each dependency from one folder', several)
  const own = Object.entries(byClient).find(([path]) => path.endsWith('/social-search-sdk'))?.[1] ?? NaN
  claim(`loads at most ${bounds.loadedFiles} files of its own`, own <= bounds.loadedFiles, `${own} files`)
  for (const name of dependencies) {
    const path = join(packages, name)
    rmSync(path)
    fs.mkdirSync(path)
    const replaced = { name, type: 'module', exports: { '.': './index.js', './*': './index.js' } }
    writeFileSync(join(path, 'package.json'), JSON.stringify(replaced))
    const program = `throw new Error('this is not ${name}')\nexport default undefined\n`
    writeFileSync(join(path, 'index.js'), program)
    const options = { cwd: folder, encoding: 'utf8' } as const
    const { status, stderr } = spawnSync(process.execPath, ['load-all.mjs'], options)
    const hasFailed = status === 1 && new RegExp(`this is not ${name}|module '${name}[/']`).test(stderr)
    claim(`fails if ${name} in node_modules is replaced by a package that throws`, hasFailed, stderr)
    rmSync(path, { recursive: true })
    symlinkSync(join(root, 'node_modules', name), path)
  }
} finally {
  rmSync(folder, { recursive: true })
}

const ofNode = (inputs: string[]) => inputs.filter((input) => input.startsWith('node:'))
const { text, inputs } = await bundle('createTransport, microblog')
claimNone('bundles for a browser without Node’s modules', ofNode(inputs))
const ofZod = inputs.filter((input) => input.includes('/zod/'))
const isSmall = ofZod.length > 0 && !/locales|json-schema|compile/.test(ofZod.join())
claim('bundles zod without its translations and its JSON Schema', isSmall, ofZod.join('\n'))
claim('leaves the client out of a bundle that does not use it', !text.includes('SOCIAL_SEARCH_API_KEY'))
const others = operations.filter(({ id }) => !id.startsWith('microblog.'))
const kept = others.filter(({ path }) => text.includes(path)).map(({ id }) => id)
claimNone('leaves out the operations that a bundle of one search does not use', kept)

const shared = await bundle('SharedLimiter, sqliteStore', 'social-search-sdk/shared')
claimNone('bundles shared limits for a browser, whichever store they have', ofNode(shared.inputs))
const client = await bundle('SocialSearch')
const flow = await bundle('createOAuthClient', 'social-search-sdk/oauth')
claimNone('bundles its OAuth client for a browser', ofNode(flow.inputs))
claim('leaves its OAuth client out of other bundles', !client.text.includes('code_challenge'))

async function bundle(names: string, from = 'social-search-sdk') {
  const { metafile, outputFiles } = await build({
    stdin: { contents: `export { ${names} } from '${from}'`, resolveDir: root },
    bundle: true,
    platform: 'browser',
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

/** The files that a page leads to. */
function linksIn(page: string): string[] {
  const links = readFileSync(join(installed, page), 'utf8').matchAll(/\]\((?!https?:|#)([^)#]+)/g)
  return Array.from(links, ([, link = '']) => join(dirname(page), link))
}

/** The sources of a built file that are not in the package's own `src`, or lack their text. */
function foreignSourcesOf(file: string): string[] {
  const path = join(installed, file)
  const text = readFileSync(path, 'utf8')
  const map = /\/\/# sourceMappingURL=(\S+)/.exec(text)?.[1]
  if (map === undefined) return [`${file} has no source map`]
  const { sources, sourcesContent } = JSON.parse(readFileSync(join(dirname(path), map), 'utf8')) as {
    sources: string[]
    sourcesContent: (string | null)[]
  }
  const isOwn = (source: string, i: number) =>
    join(dirname(file), source).startsWith('src/') && sourcesContent[i] != null
  return sources.filter((source, i) => !isOwn(source, i)).map((source) => `${file}: ${source}`)
}

function claimNone(name: string, exceptions: readonly string[]): void {
  claim(name, exceptions.length === 0, exceptions.join('\n'))
}

function claim(name: string, holds: boolean, details = ''): void {
  if (!holds) {
    console.error(`✗ the package ${name}\n${details}`)
    process.exit(1)
  }
  console.log(`✓ the package ${name}`)
}
