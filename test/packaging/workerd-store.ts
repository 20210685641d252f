import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SharedBudget, SharedLimiter, type SharedStore } from '../../src/extensions/shared/index.ts'
import { serveSandbox } from '../../src/extensions/sandbox/node.ts'
import { SocialSearch } from '../../src/index.ts'
import { codeOfStore, documentedStore } from '../docs/stores.ts'
import { promises } from '../shared/store-promises.ts'
import { freePort, whileServing } from './workerd.ts'

const token = 'token'
const config = (port: number) => `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = (
      modules = [(name = "store", esModule = embed "store.js")],
      compatibilityDate = "2026-06-01",
      durableObjectNamespaces = [(className = "SharedText", uniqueKey = "texts")],
      durableObjectStorage = (localDisk = "disk"),
      bindings = [(name = "TEXTS", durableObjectNamespace = "SharedText"), (name = "TOKEN", text = "${token}")],
    )),
    (name = "disk", disk = (path = "objects", writable = true)),
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);
`

/**
 * Runs the worker of docs/stores.md on workerd, and the promises of stores, a limiter and a budget on its `workerStore`.
 *
 * @param folder Where workerd is installed.
 */
export async function runStoreOnWorkerd(folder: string): Promise<void> {
  const port = await freePort()
  writeFileSync(join(folder, 'store.js'), codeOfStore('class SharedText'))
  writeFileSync(join(folder, 'store.capnp'), config(port))
  mkdirSync(join(folder, 'objects'), { recursive: true })
  const url = `http://127.0.0.1:${port}`
  await whileServing(folder, 'store.capnp', port, async () => {
    const workerStore = await documentedStore('workerStore')
    const open = (): SharedStore => workerStore(url, token)
    for (const [title, promised] of Object.entries(promises))
      if (!title.startsWith('watch()')) await promised([open(), open(), open()], `contract-1:${title}`)
    await assert.rejects(
      workerStore(url, 'wrong').update('a', () => ({ result: 0 })),
      /the store answered 401/,
    )
    await keepLimits(open)
  })
}

/** Three clients with stores of their own send 30 requests to a service, which counts. */
async function keepLimits(open: () => SharedStore): Promise<void> {
  const limits = { inFlight: 2, perMinute: 20, windowMs: 1500 }
  await using server = await serveSandbox({ limits, latency: [5, 20] })
  const { baseUrl, apiKey } = server
  const clients = [open(), open(), open()].map((store) => {
    const limiter = new SharedLimiter({ store, organization: 'acme', limits })
    const budget = new SharedBudget({ store, name: 'march', limit: 60 })
    return { limiter, budget, client: new SocialSearch({ baseUrl, apiKey, limiter, budget, retry: false }) }
  })
  const search = ({ client }: { client: SocialSearch }, i: number) =>
    client.microblog.search({ query: `coffee ${i}` })
  await Promise.all(Array.from({ length: 30 }, (_, i) => search(clients[i % 3]!, i)))
  const { requests, ledger } = server
  assert.equal(Math.max(...requests.map(({ inFlight }) => inFlight)), limits.inFlight)
  assert.ok(requests.every(({ status }) => status === 200))
  assert.equal(ledger.spent, 60)
  await assert.rejects(search(clients[0]!, 30), { code: 'credit_budget' })
  for (const { client, limiter, budget } of clients) {
    await client.close()
    await limiter.close()
    await budget.close()
  }
}
