import type { Mcp } from '../../src/extensions/mcp/index.ts'

const protocolVersion = '2026-07-28'

/** What a client gets for a request. Which fields there are depends on the method. */
export interface Reply {
  tools?: { name: string }[]
  instructions?: string
  requestState?: string
  content?: { text: string }[]
  structuredContent?: { ok: boolean; error?: { code: string } }
}

/** Sends requests to a server as a client does that can ask a person, or cannot. */
export function connect({ fetch }: Mcp, canAsk = true) {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': protocolVersion,
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': canAsk ? { elicitation: { form: {} } } : {},
  }
  return async (method: string, given: { name?: string; [param: string]: unknown } = {}): Promise<Reply> => {
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': protocolVersion,
      'mcp-method': method,
      ...(given.name !== undefined && { 'mcp-name': given.name }),
    }
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...given, _meta } })
    const response = await fetch(new Request('http://localhost/mcp', { method: 'POST', headers, body }))
    return ((await response.json()) as { result: Reply }).result
  }
}
