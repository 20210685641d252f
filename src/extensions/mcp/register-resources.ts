import type { SocialSearch } from '../../index.ts'
import { messageOf } from '../../lib/thrown.ts'
import type { ToolReport } from '../tools/index.ts'
import type { McpServer } from './protocol.ts'

/** What the resources show. */
export interface Documents {
  readonly client: SocialSearch
  readonly report: () => ToolReport
  /** Markdown pages by name. */
  readonly pages: Readonly<Record<string, string>>
}

export function registerResources(server: McpServer, { client, report, pages }: Documents): void {
  const json = 'application/json'
  const add = (path: string, description: string, mimeType: string, read: () => Promise<string> | string) =>
    server.registerResource(path, `social-search://${path}`, { description, mimeType }, async ({ href }) => {
      try {
        return { contents: [{ uri: href, mimeType, text: await read() }] }
      } catch (error) {
        // The protocol's server reads fields of the error, which may throw if your own code has made it.
        throw new Error(messageOf(error))
      }
    })
  add('openapi.json', "The service's description of itself", json, async () =>
    JSON.stringify(await client.openapi()),
  )
  add('credits', 'What this session has cost so far', json, () => JSON.stringify(report()))
  for (const [name, text] of Object.entries(pages))
    add(`reference/${name}`, `Reference: ${name}`, 'text/markdown', () => text)
}
