import { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { AIMessage, type BaseMessage, ToolMessage } from '@langchain/core/messages'
import type { ChatResult } from '@langchain/core/outputs'
import { createAgent, tool } from 'langchain'
import { expect, it } from 'vitest'
import { type ToolResult, createTools } from '../../src/extensions/tools/index.ts'
import { budget, decide, setUp } from './loop.ts'

/** A model that calls `microblog_search` as `decide()` says. */
class Model extends BaseChatModel {
  #calls = 0

  constructor() {
    super({})
  }

  override _llmType(): string {
    return 'mock'
  }

  override bindTools(): this {
    return this
  }

  override _generate(messages: BaseMessage[]): Promise<ChatResult> {
    const last = messages.at(-1)
    const latest = last instanceof ToolMessage ? (JSON.parse(last.text) as ToolResult) : undefined
    const args = decide(latest)
    const calls = args === null ? [] : [{ id: `call_${++this.#calls}`, name: 'microblog_search', args }]
    const message = new AIMessage({ content: args === null ? 'done' : '', tool_calls: calls })
    return Promise.resolve({ generations: [{ text: message.text, message }] })
  }
}

it('createAgent() runs the tools until the budget says stop', async () => {
  const { sandbox, client } = setUp()
  const own = createTools({ client, budget })
  const tools = Object.values(own).map((each) =>
    tool(each.execute, { name: each.name, description: each.description, schema: each.inputSchema }),
  )
  const agent = createAgent({ model: new Model(), tools })
  const { messages } = await agent.invoke({ messages: [{ role: 'user', content: 'go' }] })
  expect([messages.at(-1)?.text, messages.filter((each) => each instanceof ToolMessage).length]).toEqual([
    'done',
    3,
  ])
  expect([sandbox.ledger.spent, client.credits.spent]).toEqual([4, 4])
})

it('tool() cancels with the signal of its caller', async () => {
  const { sandbox, client } = setUp(20)
  const { microblog_search: own } = createTools({ client, budget })
  const search = tool(own.execute, { name: own.name, description: own.description, schema: own.inputSchema })
  const leaver = new AbortController()
  const left = search.invoke({ query: 'coffee' }, { signal: leaver.signal })
  setTimeout(() => leaver.abort(), 5)
  await expect(left).rejects.toThrow()
  const again = (await search.invoke({ query: 'coffee' })) as ToolResult
  expect([again.ok, sandbox.ledger.spent]).toEqual([true, 2])
})
