import { defineConfig } from 'tsup'
import { writeDeclarations } from './scripts/declarations.ts'
import { entryPoints } from './scripts/entry-points.ts'

const library = entryPoints.map(({ source }) => source)
/** Files of their own, so that a bundle of one search leaves out other operations and the errors of other import paths. */
const apart = [
  'src/api/endpoints/microblog.ts',
  'src/errors/index.ts',
  'src/errors/oauth.ts',
  'src/errors/stores.ts',
]

/** By name, since tsup finds the files of a list in any order, and each order gives other chunks. */
const named = (sources: string[]) =>
  Object.fromEntries(sources.map((source) => [source.replace(/^src\/(extensions\/)?|\.ts$/g, ''), source]))

export default defineConfig(({ dts }) => ({
  entry: named([...library, ...apart, 'src/cli/main.ts']),
  format: 'esm',
  target: 'es2022',
  platform: 'neutral',
  external: [/^node:/],
  removeNodeProtocol: false,
  sourcemap: true,
  clean: true,
  esbuildOptions: (options) => Object.assign(options, { chunkNames: 'chunks/[hash]' }),
  ...(dts !== false && { onSuccess: writeDeclarations }),
}))
