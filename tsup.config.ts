import { defineConfig } from 'tsup'

export default defineConfig({
  entry: {
    index: 'src/index.ts',
    'sandbox/index': 'src/sandbox/index.ts',
    'sandbox/node': 'src/sandbox/node.ts',
  },
  format: 'esm',
  target: 'es2022',
  platform: 'neutral',
  splitting: true,
  treeshake: true,
  sourcemap: true,
  clean: true,
  dts: true,
  external: [/^node:/],
  removeNodeProtocol: false,
})
