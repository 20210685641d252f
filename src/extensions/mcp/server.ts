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
  readonly #withFacts: (result: CallToolResult) => CallToolResult

  /** @param withFacts Adds them to a result of the library itself. */
  constructor(
    info: ConstructorParameters<typeof McpServer>[0],
    options: ConstructorParameters<typeof McpServer>[1],
    withFacts: (result: CallToolResult) => CallToolResult,
  ) {
    super(info, options)
    this.#withFacts = withFacts
  }

  /** The transport stays of its class, by which the library tells which protocol it speaks. */
  override connect(transport: Transport): Promise<void> {
    const send = transport.send.bind(transport)
    let onmessage: Transport['onmessage']
    Object.defineProperties(transport, {
      send: {
        value: ((message, options) => send(toClient(message, this.#withFacts), options)) as typeof send,
        configurable: true,
      },
      onmessage: {
        get: () => onmessage,
        set: (handler: Transport['onmessage']) => {
          onmessage = handler && ((message, extra) => handler(withArguments(message), extra))
        },
        configurable: true,
      },
    })
    return super.connect(transport)
  }
}

type Transport = Parameters<McpServer['connect']>[0]

/** What a client gets: an error of the library may repeat what the client sent, and its results have no facts. */
function toClient(
  message: JSONRPCMessage,
  withFacts: (result: CallToolResult) => CallToolResult,
): JSONRPCMessage {
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

/** Clients send `null` for no arguments, and JSON text for an object, which the protocol would refuse. */
function withArguments<Message extends JSONRPCMessage>(message: Message): Message {
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
