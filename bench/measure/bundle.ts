import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { buildOptions } from '../build.ts'
import { type Contestant, base } from '../contestants.ts'
import { type Table, number } from '../report.ts'

/** Bytes of a program for a browser, gzipped, by the contestant's name. */
export type Sizes = Map<string, number>

export async function measureBundles(
  contestants: readonly Contestant[],
): Promise<{ sizes: Sizes; table: Table }> {
  const sizes: Sizes = new Map()
  for (const contestant of contestants) {
    const { outputFiles } = await build({
      ...buildOptions(contestant, 'bundle'),
      ...{ platform: 'browser', minify: true, write: false },
    })
    sizes.set(contestant.name, gzipSync(outputFiles[0]?.contents ?? '', { level: 9 }).byteLength)
  }
  const rows = [...sizes].map(([name, bytes]) => [
    name,
    number(bytes / (sizes.get(base.name) ?? NaN)),
    number(bytes / 1000),
  ])
  return {
    sizes,
    table: { title: 'Bundle of one search, minified and gzipped', head: ['', `× ${base.name}`, 'kB'], rows },
  }
}
