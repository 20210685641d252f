/** A worker whose sources lack what an ablation takes out. */
import { registerHooks } from 'node:module'
import { workerData } from 'node:worker_threads'
import { ablations, edited } from './ablations.ts'

const ablation = ablations.find(({ name }) => name === workerData)
if (ablation === undefined) throw new Error(`unknown ablation ${String(workerData)}`)

const loaded = new Set<string>()
registerHooks({
  load(url, context, nextLoad) {
    const result = nextLoad(url, context)
    if (!url.endsWith(`/src/${ablation.file}`) || !(result.source instanceof Uint8Array)) return result
    loaded.add(ablation.file)
    return { ...result, source: edited(ablation, new TextDecoder().decode(result.source)) }
  },
})
await import('./worker.ts')
// It would measure the whole.
if (!loaded.has(ablation.file))
  throw new Error(`${ablation.name}: the simulation never loads src/${ablation.file}`)
