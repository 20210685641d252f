import * as sdk from '../../canary/installed.ts'
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
  probe(sdk, print).then(
    (rows) => postMessage(rows),
    (error: unknown) => postMessage(print(error)),
  )
}
