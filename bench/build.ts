import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type BuildOptions, type Plugin, build } from 'esbuild'
import type { Contestant } from './contestants.ts'
import { folder, out } from './folders.ts'
import { page, searchDescription } from './page.ts'

/** Path of a contestant's built program. */
export function programOf({ name }: Contestant): string {
  return join(out, 'peers', `${name.replaceAll(' ', '-')}.js`)
}

export function childProgram(name: string): string {
  return join(out, 'child', `${name}.js`)
}

/** The page in the responses of stub and server. */
export const pageFile = join(out, 'page.json')

/** Resolves `social-search-sdk` to a built package of either checkout, never to the sources. */
function packageAt(dist: string, external: boolean): Plugin {
  return {
    name: 'package',
    setup(build) {
      build.onResolve({ filter: /^social-search-sdk$/ }, () => ({
        path: join(dist, 'index.js'),
        external,
        sideEffects: false,
      }))
    },
  }
}

/** One file for each contestant; Node loads `external` packages as it would for a user. */
export function buildOptions({ file, dist }: Contestant, packages: 'external' | 'bundle'): BuildOptions {
  return {
    entryPoints: [join(folder, 'peers', `${file}.ts`)],
    bundle: true,
    format: 'esm',
    packages,
    plugins: dist === undefined ? [] : [packageAt(dist, packages === 'external')],
    logLevel: 'error',
    // The project's own tsconfig would lead to the sources.
    tsconfigRaw: {},
  }
}

/** Writes the client that hey-api's generator makes from the service's description. */
async function generateHeyApi(name: string, zod: object): Promise<void> {
  // Its types would need the peers installed to check this file.
  const generator = '@hey-api/openapi-ts'
  const { createClient } = (await import(generator)) as {
    createClient: (config: object) => Promise<unknown>
  }
  await createClient({
    input: await searchDescription(),
    output: { path: join(out, name) },
    logs: { level: 'silent' },
    plugins: [
      '@hey-api/client-fetch',
      '@hey-api/typescript',
      { name: 'zod', ...zod },
      { name: '@hey-api/sdk', validator: true },
    ],
  })
}

/** Builds all programs, so that no process spends time or memory on TypeScript. */
export async function buildAll(contestants: readonly Contestant[]): Promise<void> {
  rmSync(out, { recursive: true, force: true })
  await generateHeyApi('hey-api', {})
  await generateHeyApi('hey-api-mini', { compatibilityVersion: 'mini' })
  writeFileSync(pageFile, page)
  for (const contestant of contestants) {
    await build({ ...buildOptions(contestant, 'external'), platform: 'node', outfile: programOf(contestant) })
  }
  await build({
    ...{
      entryPoints: ['calls', 'queue', 'walk', 'start', 'server'].map((name) => `${folder}/child/${name}.ts`),
    },
    ...{ bundle: true, format: 'esm', platform: 'node', packages: 'external', tsconfigRaw: {} },
    outdir: join(out, 'child'),
  })
}
