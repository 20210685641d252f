import { stripTypeScriptTypes } from 'node:module'
import type { SharedStore } from '../../src/extensions/shared/index.ts'
import { sampleOf } from './samples.ts'

/** A function that opens a store, as docs/stores.md has it. */
export async function documentedStore(name: string): Promise<(...args: string[]) => SharedStore> {
  const code = stripTypeScriptTypes(sampleOf('docs/stores.md', `function ${name}(`))
  const module = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as Record<string, unknown>
  return module[name] as (...args: string[]) => SharedStore
}
