import { fileURLToPath } from 'node:url'
import { type BuildOptions, build } from 'esbuild'
import { expect, it } from 'vitest'
import { entryPoints } from '../../scripts/entry-points.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const bundle = async (options: BuildOptions): Promise<string> => {
  const all = { bundle: true, write: false, format: 'esm', platform: 'neutral', absWorkingDir: root } as const
  const { outputFiles = [] } = await build({ ...all, ...options })
  return outputFiles.map(({ text }) => text).join('')
}

// esbuild renames a class that refers to itself by name: `var X = class _X`. Logs would show that name.
it('a class has its own name in a bundle', async () => {
  const sources = entryPoints.map(({ source }) => source)
  const options = { outdir: 'dist', splitting: true, target: 'es2022', packages: 'external' } as const
  const text = await bundle({ entryPoints: sources, ...options })
  expect(text).toContain('CreditBudgetError = class')
  expect(text.match(/class _\w+/g)).toBeNull()
  // Next's minifier makes `static { this.name = … }` of such a field, which throws.
  expect(text.match(/static name = .*/g)).toBeNull()
})

it('a class of errors keeps its name in a minified program', async () => {
  const text = await bundle({ entryPoints: ['src/errors/index.ts'], minify: true })
  const program = `data:text/javascript,${encodeURIComponent(text)}`
  const all = Object.entries((await import(program)) as Record<string, { name: string }>)
  const classes = all.filter(([name]) => /^[A-Z].*Error$/.test(name))
  expect(classes.length).toBeGreaterThan(20)
  expect(classes.map(([, { name }]) => name)).toEqual(classes.map(([name]) => name))
})
