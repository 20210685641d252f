import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { expect, it } from 'vitest'
import { entryPoints } from '../../scripts/entry-points.ts'

const root = new URL('../../', import.meta.url)

// esbuild renames a class that refers to itself by name: `var X = class _X`. Logs would show that name.
it('a class has its own name in a bundle', async () => {
  const { outputFiles } = await build({
    entryPoints: entryPoints.map(({ source }) => source),
    absWorkingDir: fileURLToPath(root),
    outdir: 'dist',
    write: false,
    bundle: true,
    splitting: true,
    format: 'esm',
    target: 'es2022',
    platform: 'neutral',
    packages: 'external',
  })
  const text = outputFiles.map(({ text }) => text).join('')
  expect(text).toContain('CreditBudgetError = class')
  expect(text.match(/class _\w+/g)).toBeNull()
  // Next's minifier makes `static { this.name = … }` of such a field, which throws.
  expect(text.match(/static name = .*/g)).toBeNull()
})

it('a class of errors keeps its name in a minified program', async () => {
  const { outputFiles } = await build({
    stdin: { contents: `export * from './src/errors/index.ts'`, resolveDir: fileURLToPath(root) },
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    platform: 'neutral',
  })
  const program = `data:text/javascript,${encodeURIComponent(outputFiles[0]!.text)}`
  const classes = Object.entries((await import(program)) as Record<string, { name: string }>).filter(
    ([name]) => name.endsWith('Error') && name !== 'isSocialSearchError',
  )
  expect(classes.length).toBeGreaterThan(20)
  expect(classes.map(([, { name }]) => name)).toEqual(classes.map(([name]) => name))
})
