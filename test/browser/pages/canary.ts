import * as root from 'social-search-sdk'
import * as cache from 'social-search-sdk/cache'
import * as catalog from 'social-search-sdk/catalog'
import * as events from 'social-search-sdk/events'
import * as oauth from 'social-search-sdk/oauth'
import * as otel from 'social-search-sdk/otel'
import * as proxy from 'social-search-sdk/proxy'
import * as sandbox from 'social-search-sdk/sandbox'
import * as shared from 'social-search-sdk/shared'
import { type Row, probe } from '../../canary/probe.ts'

const canary = {
  /** Looks for secrets in a worker: in a page, the package takes no key. */
  run: (): Promise<Row[] | string> =>
    new Promise((resolve) => {
      const worker = new Worker('/app.js', { type: 'module' })
      worker.onmessage = ({ data }: { data: Row[] | string }) => resolve(data)
      worker.onerror = ({ message }) => resolve(message)
    }),
}
export type Canary = typeof canary

if ('document' in globalThis) Object.assign(globalThis, { canary, complaints: [] })
else {
  const print = (value: unknown): string => (value instanceof Error ? `${value.stack}` : String(value))
  probe({ root, cache, catalog, events, oauth, otel, proxy, shared, sandbox }, print).then(
    (rows) => postMessage(rows),
    (error: unknown) => postMessage(print(error)),
  )
}
