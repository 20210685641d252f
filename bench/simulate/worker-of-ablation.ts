/** A worker whose sources lack what an ablation takes out. */
import { registerHooks } from 'node:module'
import { workerData } from 'node:worker_threads'
import { ablations, edited } from './ablations.ts'

const ablation = ablations.find(({ name }) => name === workerData)
if (ablation === undefined) throw new Error(`unknown ablation ${String(workerData)}`)

registerHooks({
  load(url, context, nextLoad) {
    const result = nextLoad(url, context)
    if (!(result.source instanceof Uint8Array)) return result
    return { ...result, source: edited(ablation, url, new TextDecoder().decode(result.source)) }
  },
})
await import('./worker.ts')
