import { stripTypeScriptTypes } from 'node:module'
import type { SharedStore } from '../../src/extensions/shared/index.ts'
import { samplesOf } from './samples.ts'

/** The code of the sample of docs/stores.md that has a text. */
function codeOfStore(text: string): string {
  const sample = samplesOf('docs/stores.md').find((sample) => sample.includes(text))
  if (sample === undefined) throw new Error(`docs/stores.md has no sample with ${text}`)
  return stripTypeScriptTypes(sample)
}

/** A function that opens a store, as docs/stores.md has it. */
export async function documentedStore(name: string): Promise<(...args: string[]) => SharedStore> {
  const code = codeOfStore(`function ${name}(`)
  const module = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as Record<string, unknown>
  return module[name] as (...args: string[]) => SharedStore
}
