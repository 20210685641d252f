import { globSync } from 'node:fs'
import { defineConfig } from 'tsup'

const entry = {
  index: 'src/index.ts',
  'sandbox/index': 'src/sandbox/index.ts',
  'sandbox/node': 'src/sandbox/node.ts',
  'catalog/index': 'src/catalog/index.ts',
  'weblocks/index': 'src/weblocks/index.ts',
  'redis/index': 'src/redis/index.ts',
  'oauth/index': 'src/oauth/index.ts',
  'oauth/node': 'src/oauth/node.ts',
  'proxy/index': 'src/proxy/index.ts',
  'events/index': 'src/events/index.ts',
  node: 'src/serve/node.ts',
}

/** Files of their own in the package, so that a bundle holds the operations and methods it uses and no others. */
const apart = Object.fromEntries(
  globSync(['src/contract/**/*.ts', 'src/resources/*.ts']).map((file) => [
    file.replace(/^src\/|\.ts$/g, ''),
    file,
  ]),
)

export default defineConfig({
  entry: { ...entry, ...apart },
  format: 'esm',
  target: 'es2022',
  platform: 'neutral',
  splitting: true,
  treeshake: true,
  sourcemap: true,
  clean: true,
  dts: { entry },
  external: [/^node:/],
  removeNodeProtocol: false,
})
