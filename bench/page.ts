import { createSandbox } from '../src/extensions/sandbox/index.ts'
import { path } from './peers/peer.ts'

const sandbox = createSandbox({ seed: 1, limits: { perMinute: false } })

async function ask(where: string, body?: string): Promise<string> {
  const headers = { authorization: `Bearer ${sandbox.apiKey}`, 'content-type': 'application/json' }
  const init = body === undefined ? { headers } : { method: 'POST', headers, body }
  return (await sandbox.fetch(new Request(sandbox.baseUrl + where, init))).text()
}

/** The sandbox's response to one search: twenty posts. */
export const page = await ask(path, '{"query":"typescript"}')

/** The service's description, reduced to the search. */
export async function searchDescription(): Promise<Record<string, unknown>> {
  const description = JSON.parse(await ask('/openapi.json')) as { paths: Record<string, unknown> }
  return { ...description, paths: { [path]: description.paths[path] } }
}
