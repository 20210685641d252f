import { existsSync, globSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Metafile, Plugin } from 'esbuild'
import { type Options, defineConfig } from 'tsup'
import packageJson from './package.json' with { type: 'json' }
import { entryPoints } from './scripts/entry-points.ts'

const entriesFor = (...args: Parameters<typeof entryPoints>) =>
  Object.fromEntries(entryPoints(...args).map(({ name }) => [name, `src/${name}.ts`]))

const entry = entriesFor('types')

/** What Node loads with everything inside. */
const bundled = Object.entries(entriesFor('module'))
const isSandbox = ([name]: readonly [string, string]) => name.startsWith('sandbox/')
/** Entries of these that share the errors and the limiters of the client. */
const onClient = Object.fromEntries(bundled.filter((each) => !isSandbox(each)))

/** Separate files in the package, so that a bundle holds only the operations and methods it uses. */
const apart = Object.fromEntries(
  globSync(['src/api/**/*.ts', 'src/errors/*.ts', 'src/resources/*.ts'], {
    exclude: ['**/*.browser.ts'],
  }).map((file) => [file.replace(/^src\/|\.ts$/g, ''), file]),
)

const common = {
  format: 'esm',
  target: 'es2022',
  platform: 'neutral',
  splitting: true,
  external: [/^node:/],
  removeNodeProtocol: false,
} as const satisfies Options

/** Replaces a module by the one beside it for browsers: `inspect.ts` by `inspect.browser.ts`. */
const modulesForBrowsers: Plugin = {
  name: 'modules-for-browsers',
  setup(build) {
    build.onLoad({ filter: /\/src\/.+\.ts$/ }, ({ path }) => {
      const forBrowsers = path.replace(/\.ts$/, '.browser.ts')
      return existsSync(forBrowsers) ? { contents: readFileSync(forBrowsers, 'utf8'), loader: 'ts' } : null
    })
  },
}

/**
 * Loads the client with every entry. esbuild makes a chunk for each set of entries that shares code; with the client in
 * every entry, all of it is one chunk.
 */
const clientInEveryEntry: Plugin = {
  name: 'client-in-every-entry',
  setup(build) {
    const paths = new Set(
      Object.entries(onClient).flatMap(([name, path]) => (name === 'index' ? [] : [resolve(path)])),
    )
    build.onResolve({ filter: /^client-of-this-package$/ }, () => ({
      path: resolve('src/index.ts'),
      // `sideEffects: false` in package.json would drop an import without names.
      sideEffects: true,
    }))
    build.onLoad({ filter: /\/src\/[^/]+\/(index|node)\.ts$/ }, ({ path }) =>
      paths.has(path)
        ? { contents: `${readFileSync(path, 'utf8')}\nimport 'client-of-this-package'\n`, loader: 'ts' }
        : null,
    )
  },
}

/** Writes the licenses of the packages that are part of the output beside it. */
const licensesTo = (outDir: string): Plugin => ({
  name: 'licenses',
  setup(build) {
    build.initialOptions.metafile = true
    build.onEnd(({ metafile }) => {
      if (metafile === undefined) return
      const texts = packagesIn(metafile).map((name) => {
        const folder = `node_modules/${name}`
        const file = readdirSync(folder).find((file) => /^licen[cs]e/i.test(file))
        if (file === undefined) throw new Error(`${folder} has no license file`)
        return `${name}\n\n${readFileSync(`${folder}/${file}`, 'utf8').trim()}\n`
      })
      mkdirSync(outDir, { recursive: true })
      writeFileSync(`${outDir}/LICENSES.txt`, texts.join(`\n${'-'.repeat(80)}\n\n`))
    })
  },
})

function packagesIn({ outputs }: Metafile): string[] {
  const inputs = Object.values(outputs).flatMap((output) => Object.keys(output.inputs))
  const names = inputs.flatMap((input) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(input)?.[1] ?? [])
  return [...new Set(names)].sort()
}

export default defineConfig([
  {
    ...common,
    entry: { ...entry, ...apart },
    treeshake: true,
    sourcemap: true,
    // Declarations are cleaned by the build that writes them; with --no-dts, those of an earlier build stay.
    clean: ['!bundled/**', '!browser/**', '!**/*.d.ts'],
    dts: { entry },
  },
  {
    // What bundlers take for browsers: the same without what only other runtimes need.
    ...common,
    entry: { ...entriesFor('browser'), ...apart },
    outDir: 'dist/browser',
    treeshake: true,
    sourcemap: true,
    esbuildPlugins: [modulesForBrowsers],
    clean: true,
  },
  {
    // What Node loads: few files, and nothing from other packages.
    ...common,
    entry: onClient,
    outDir: 'dist/bundled',
    noExternal: Object.keys(packageJson.dependencies),
    esbuildPlugins: [clientInEveryEntry, licensesTo('dist/bundled')],
    clean: ['!cli/**', '!sandbox/**'],
  },
  {
    // Apart from the client, with which it shares no state, so that the client stays in few files.
    ...common,
    entry: bundled.filter(isSandbox).map(([, path]) => path),
    outDir: 'dist/bundled/sandbox',
    noExternal: Object.keys(packageJson.dependencies),
    esbuildPlugins: [licensesTo('dist/bundled/sandbox')],
    clean: true,
  },
  {
    // The command runs with nothing else installed, so it has the MCP server inside, which the library leaves to its user.
    ...common,
    entry: { main: 'src/cli/main.ts' },
    outDir: 'dist/bundled/cli',
    noExternal: [
      ...Object.keys(packageJson.dependencies),
      ...['commander', 'fast-string-width', 'fast-wrap-ansi', /^@modelcontextprotocol\//],
    ],
    esbuildPlugins: [licensesTo('dist/bundled/cli')],
    clean: true,
  },
])
