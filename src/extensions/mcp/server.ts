import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type JSONRPCMessage,
  McpServer,
  type ServerContext,
  type StandardSchemaWithJSON,
} from '@modelcontextprotocol/server'
import { parsed } from '../../lib/json.ts'
import { ToolRefusal, failureOf } from '../tools/failures.ts'
import type { ToolFailure, ToolResult } from '../tools/index.ts'

export {
  type CallToolResult,
  type InputRequiredResult,
  type McpServer,
  type ServerContext,
  createMcpHandler,
  inputRequired,
  localhostAllowedHostnames,
  originValidationResponse,
  validateHostHeader,
} from '@modelcontextprotocol/server'

/**
 * A server whose errors are well-formed Unicode, also where they repeat what a client sent, and whose failed tool calls all have
 * the facts that a tool's own results have.
 */
export class WellFormedServer extends McpServer {
  override connect(transport: Transport): Promise<void> {
    intercept(transport)
    return super.connect(transport)
  }
}

type Transport = Parameters<McpServer['connect']>[0]

/**
 * Changes the messages of a transport on their way. No wrapper can stand in for the transport: from 2.4.0 on, the library tells by its
 * class which protocol it speaks.
 */
function intercept(transport: Transport): void {
  const send = transport.send.bind(transport)
  transport.send = (message, options) => send(toClient(message), options)
  let onmessage: Transport['onmessage']
  Object.defineProperty(transport, 'onmessage', {
    get: () => onmessage,
    set: (handler: Transport['onmessage']) => {
      onmessage = handler && ((message, extra) => handler(toServer(message), extra))
    },
    configurable: true,
  })
}

/** What a client gets: an error of the library may repeat what the client sent, and its results have no facts. */
function toClient(message: JSONRPCMessage): JSONRPCMessage {
  if ('result' in message && isBareFailure(message.result))
    return { ...message, result: withFacts(message.result) }
  if (!('error' in message)) return message
  return { ...message, error: { ...message.error, message: message.error.message.toWellFormed() } }
}

/** Whether a tool call has failed without a result of the tool. */
function isBareFailure(result: object): result is CallToolResult {
  const { isError, structuredContent } = result as Partial<CallToolResult>
  return isError === true && structuredContent === undefined
}

/** What the protocol's library says when it could not ask a person, with the facts that each result has. Nothing was sent. */
function withFacts(result: CallToolResult): CallToolResult {
  const error = new ToolRefusal('confirmation', 'the client could not ask a person, so nothing was sent')
  const credits = { spent: 0, uncertain: 0, remaining: null }
  return { ...result, ...contentOf({ ok: false, error: failureOf(error, true), credits }) }
}

/** Clients send `null` for no arguments, and JSON text for an object, which the protocol would refuse. */
function toServer(message: JSONRPCMessage): JSONRPCMessage {
  if (!('method' in message) || message.method !== 'tools/call' || message.params === undefined)
    return message
  const given = message.params['arguments'] ?? {}
  const read = typeof given === 'string' ? (parsed(given || '{}') ?? given) : given
  return { ...message, params: { ...message.params, arguments: read } }
}

/** Whether the client of a request can show a form to a person. */
export function canAskPerson({ server }: McpServer, { mcpReq }: ServerContext): boolean {
  // Clients of 2026 say it with each request, older ones when they connect; the latter accessor is the only one for them.
  const envelope = mcpReq.envelope as Record<string, ClientCapabilities> | undefined
  // eslint-disable-next-line @typescript-eslint/no-deprecated
  const capabilities = envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? server.getClientCapabilities()
  const { elicitation } = capabilities ?? {}
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined)
}

/** Longest message on stdio, in bytes: what is too large for a tool is refused by the tool, with an answer. */
const maxBufferSize = 32 * 2 ** 20

/** Serves over the input and output of this process. */
export async function serveStdio(create: () => McpServer): Promise<() => Promise<void>> {
  const stdio = await import('@modelcontextprotocol/server/stdio')
  const transport = new stdio.StdioServerTransport(undefined, undefined, { maxBufferSize })
  const handle = stdio.serveStdio(create, { transport })
  return () => handle.close()
}

/** A JSON Schema for the protocol's lists. It lets everything pass: tools check their input themselves. */
export function listed(schema: object): StandardSchemaWithJSON<Record<string, unknown>> {
  const json = () => structuredClone(schema) as Record<string, unknown>
  return {
    '~standard': {
      version: 1,
      vendor: 'social-search-sdk',
      validate: (value) => ({ value: value as Record<string, unknown> }),
      jsonSchema: { input: json, output: json },
    },
  }
}

/** A result for a client: as text for a model, and as JSON. Both have items as rows, so that no row repeats the names. */
export function contentOf(result: ToolResult): CallToolResult {
  const { items = [], ...others } = result
  const fields = [...new Set(items.flatMap((item) => Object.keys(item)))]
  const rows = items.map((item) => fields.map((field) => item[field] ?? null))
  return {
    content: [{ type: 'text', text: textOf(others, rows.length === 0 ? [] : [fields, ...rows]) }],
    structuredContent: result.items ? { ...others, fields, items: rows } : others,
    isError: !result.ok,
  }
}

/** @param table JSON keeps each row in one line, so that no text can pass for another item. */
function textOf(result: Omit<ToolResult, 'items'>, table: readonly unknown[]): string {
  const { error, notice, record, counts, credits } = result
  const facts = Object.entries({ ...result, ok: null, notice: null, ...credits })
  const lines = [
    error && failureText(error),
    facts.flatMap(([name, fact]) => (typeof fact === 'object' ? [] : `${name}: ${fact}`)).join(', '),
    notice,
    counts && `counts: ${JSON.stringify(counts)}`,
    record && JSON.stringify(record),
    table.map((row) => JSON.stringify(row)).join('\n'),
  ]
  return lines.filter(Boolean).join('\n')
}

function failureText({ code, charged, applied, stop, message }: ToolFailure): string {
  const outcome = `charged: ${charged}${applied === undefined ? '' : `; applied: ${applied}`}`
  return `failed (${code}; ${outcome}; stop: ${stop}): ${message}`
}
