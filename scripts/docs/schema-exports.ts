import { globSync } from 'node:fs'
import type { Schema } from '../../src/api/schema/schema.ts'

const src = new URL('../../src/', import.meta.url)

/** The schemas that files of src/api export, by file and name; without the parts that build them. */
export async function readSchemas(): Promise<Map<string, Record<string, Schema>>> {
  const files = globSync('api/**/*.ts', { cwd: src, exclude: ['api/schema/**'] }).sort()
  const found = await Promise.all(
    files.map(async (file) => {
      const exported = Object.entries((await import(new URL(file, src).href)) as Record<string, unknown>)
      return [file, Object.fromEntries(exported.filter(isSchema))] as const
    }),
  )
  return new Map(found.filter(([, schemas]) => Object.keys(schemas).length > 0))
}

/** The text of `src/extensions/schemas/index.ts`, which exports them all. */
export function schemaExports(schemas: ReadonlyMap<string, Record<string, Schema>>): string {
  const lines = Array.from(
    schemas,
    ([file, byName]) => `export { ${Object.keys(byName).join(', ')} } from '../../${file}'`,
  )
  return ['// Generated from src/api by `npm run docs`.', ...lines].join('\n')
}

function isSchema(entry: [string, unknown]): entry is [string, Schema] {
  const [, value] = entry
  return typeof value === 'object' && value !== null && '_zod' in value
}
