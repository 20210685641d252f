import { collectGarbage } from '../support/garbage.ts'
import { failure, hang } from '../support/service.ts'
import { type Faults, endings, told } from './observe.ts'

const unavailable = failure(503, 'professionalnet_unavailable', { error: { retryAfter: 20 } })

/** In virtual time, which passes while the call is awaited. */
const pass = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

export const concurrency: Faults = {
  '10,000 calls are queued, and all aborted': async () => {
    const before = collectGarbage()
    const end = await told([hang], {
      options: { limits: { perMinute: false } },
      call: async ({ microblog }) => {
        const abort = new AbortController()
        const { signal } = abort
        const calls = Array.from({ length: 10_000 }, () => microblog.search({ query: 'a' }, { signal }))
        setTimeout(() => abort.abort('left'), 100)
        return endings(await Promise.allSettled(calls))
      },
      tells: ({ value }) => String(value),
    })
    const grown = collectGarbage() - before
    return `${end}; memory ${grown < 20 * 2 ** 20 ? 'given back' : `grown by ${grown} bytes`}`
  },
  'close() with calls in flight, queued and waiting': () =>
    told([unavailable, hang], {
      call: async (client) => {
        const search = (query: string) => client.microblog.search({ query }).then()
        const waiting = Promise.allSettled([search('waiting')])
        await pass(100)
        const others = Promise.allSettled(['a', 'b', 'c'].map(search))
        await pass(100)
        await client.close()
        const [late] = await Promise.allSettled([client.withOptions({}).microblog.search({ query: 'late' })])
        return [...(await waiting), ...(await others), late]
      },
      tells: ({ value }) => {
        const ends = value as PromiseRejectedResult[]
        const errors = ends.map(({ reason }) => reason as { charged: string })
        const charged = errors.map((error) => error.charged).join(', ')
        return `${endings(ends)}, ${new Set(errors).size} errors, charged ${charged}`
      },
    }),
}
