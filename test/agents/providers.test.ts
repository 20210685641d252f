import Anthropic from '@anthropic-ai/sdk'
import { Agent, type AgentOutputItem, Runner, Usage, tool } from '@openai/agents'
import type { Model, ModelRequest, ModelResponse } from '@openai/agents'
import OpenAI from 'openai'
import { expect, it } from 'vitest'
import { type ToolResult, createTools } from '../../src/extensions/tools/index.ts'
import { budget, decide, setUp } from './loop.ts'

/** Answers a provider's client, and keeps what it sent. */
function provider(answer: object) {
  const sent: Record<string, unknown>[] = []
  const fetch = async (_: unknown, init?: RequestInit): Promise<Response> => {
    sent.push(JSON.parse(String(init?.body)) as Record<string, unknown>)
    return Promise.resolve(Response.json(answer))
  }
  return { sent, options: { apiKey: 'test', fetch: fetch as typeof globalThis.fetch } }
}

it('json.anthropic is a tool of the Messages API', async () => {
  const own = createTools({ client: setUp().client, budget })
  const call = { type: 'tool_use', id: 'call_1', name: 'microblog_search', input: decide(undefined) }
  const { sent, options } = provider({ id: 'msg_1', type: 'message', role: 'assistant', content: [call] })
  const tools: Anthropic.Tool[] = Object.values(own).map(({ json }) => json.anthropic)
  const messages: Anthropic.MessageParam[] = [{ role: 'user', content: 'go' }]
  const request = { model: 'mock', max_tokens: 9, messages, tools }
  const { content } = await new Anthropic(options).messages.create(request)
  const definition = { name: 'microblog_search', input_schema: { type: 'object' } }
  expect(sent[0]?.['tools']).toMatchObject([definition, {}, {}, {}, {}])
  const [use] = content
  expect(use?.type === 'tool_use' && (await own.microblog_search.execute(use.input)).ok).toBe(true)
})

it('json.openai and json.openaiChat are tools of the Responses and Chat Completions APIs', async () => {
  const own = Object.values(createTools({ client: setUp().client, budget }))
  const { sent, options } = provider({ id: 'resp_1', output: [], choices: [] })
  const openai = new OpenAI(options)
  const parameters = { type: 'object', required: ['query'] }
  const forResponses = own.map(({ json }) => json.openai)
  await openai.responses.create({ model: 'mock', input: 'go', tools: forResponses })
  expect(sent[0]?.['tools']).toMatchObject([{ type: 'function', strict: false, parameters }, {}, {}, {}, {}])
  const forChat = own.map(({ json }) => json.openaiChat)
  const messages = [{ role: 'user', content: 'go' } as const]
  await openai.chat.completions.create({ model: 'mock', messages, tools: forChat })
  const definition = { type: 'function', function: { strict: false, parameters } }
  expect(sent[1]?.['tools']).toMatchObject([definition, {}, {}, {}, {}])
})

/** A model that calls `microblog_search` as `decide()` says. */
class MockModel implements Model {
  #calls = 0

  getResponse({ input }: ModelRequest): Promise<ModelResponse> {
    const last = typeof input === 'string' ? undefined : input.at(-1)
    const output = last?.type === 'function_call_result' ? last.output : undefined
    const text = typeof output === 'object' && 'text' in output ? output.text : output
    const args = decide(typeof text === 'string' ? (JSON.parse(text) as ToolResult) : undefined)
    const callId = `call_${++this.#calls}`
    const done = { type: 'message', role: 'assistant', status: 'completed' } as const
    const item: AgentOutputItem =
      args === null
        ? { ...done, content: [{ type: 'output_text', text: 'done' }] }
        : { type: 'function_call', callId, name: 'microblog_search', arguments: JSON.stringify(args) }
    return Promise.resolve({ usage: new Usage(), output: [item] })
  }

  getStreamedResponse(): never {
    throw new Error('not used')
  }
}

it('json.openaiAgents makes tools of OpenAI Agents, which run until the budget says stop', async () => {
  const { sandbox, client } = setUp()
  const own = createTools({ client, budget })
  const tools = Object.values(own).map(({ json, execute }) =>
    tool({ ...json.openaiAgents, execute: (input: unknown) => execute(input) }),
  )
  const agent = new Agent({ name: 'test', tools, model: new MockModel() })
  const { finalOutput } = await new Runner({ tracingDisabled: true }).run(agent, 'go')
  expect([finalOutput, sandbox.ledger.spent]).toEqual(['done', 4])
})
