import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { expect, it } from 'vitest'
import { entryPoints } from '../../scripts/entry-points.ts'

// esbuild renames a class that refers to itself by name: `var X = class _X`. Logs would show that name.
it('a class has its own name in a bundle', async () => {
  const { outputFiles } = await build({
    entryPoints: entryPoints.map(({ source }) => source),
    absWorkingDir: fileURLToPath(new URL('../../', import.meta.url)),
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
