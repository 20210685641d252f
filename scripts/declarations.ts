import { globSync, rmSync } from 'node:fs'
import { relative } from 'node:path'
import { rollup } from 'rollup'
import { dts } from 'rollup-plugin-dts'
import { entryPoints } from './entry-points.ts'

/**
 * Writes the declarations of the import paths to `dist`: what they export and what that needs, each under its own name. Schemas are
 * built apart from the interfaces of the same source files, since their types are zod's: nearly all that a user's compiler would load.
 * tsup's own `dts` can do neither.
 */
export async function writeDeclarations(): Promise<void> {
  for (const file of globSync('dist/**/*.d.ts')) rmSync(file)
  const isSchemas = ({ path }: { path: string }) => path === 'social-search-sdk/schemas'
  await write(entryPoints.filter(isSchemas))
  await write(entryPoints.filter((each) => !isSchemas(each)))
}

async function write(paths: typeof entryPoints): Promise<void> {
  const bundle = await rollup({
    input: Object.fromEntries(
      paths.map(({ file, source }) => [file.replace(/^\.\/dist\/|\.js$/g, ''), source]),
    ),
    external: /^[^./]/,
    plugins: [dts({ compilerOptions: { stripInternal: true } })],
  })
  await bundle.write({
    dir: 'dist',
    // What several import paths need: of the kernel one file, of an extension the file that they share.
    manualChunks: (id) => (paths.length === 1 || id.includes('/src/extensions/') ? undefined : 'kernel'),
    chunkFileNames: ({ name, moduleIds: [file = ''] }) =>
      name === 'kernel' ? 'kernel.d.ts' : relative('src/extensions', file).replace(/\.ts$/, '.d.ts'),
    hoistTransitiveImports: false,
    minifyInternalExports: false,
  })
  await bundle.close()
}
