import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { Job } from './job.ts'
import type { Summary } from './summary.ts'

/**
 * Runs jobs in order on all cores. Resolves when all have ended; a failure rejects the job's promise.
 *
 * @param ablation Name of what to take out of the sources.
 */
export function runJobs(jobs: readonly Job[], ablation?: string): Promise<Summary>[] {
  const results = jobs.map(() => Promise.withResolvers<Summary>())
  const waiting = jobs.entries()
  const work = async (): Promise<void> => {
    const file = ablation === undefined ? 'worker.ts' : 'worker-of-ablation.ts'
    const worker = new Worker(new URL(file, import.meta.url), {
      workerData: ablation,
      resourceLimits: { maxYoungGenerationSizeMb: 64 },
    })
    for (const [index, job] of waiting) {
      worker.postMessage(job)
      try {
        const [result] = (await once(worker, 'message')) as [Summary]
        results[index]?.resolve(result)
      } catch (error) {
        results[index]?.reject(error)
        return
      }
    }
    await worker.terminate()
  }
  for (let count = Math.min(availableParallelism(), jobs.length); count > 0; count--) void work()
  return results.map(({ promise }) => promise)
}
