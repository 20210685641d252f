import { generateText, isStepCount } from 'ai'
import { MockLanguageModelV4 } from 'ai/test'
import { expect, it } from 'vitest'
import { type ToolResult, createTools } from '../../src/extensions/tools/index.ts'
import { budget, decide, setUp } from './loop.ts'

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
}

/** A model that calls `microblog_search` with what it is told to. */
function modelOf(inputs: (latest: ToolResult | undefined) => unknown): MockLanguageModelV4 {
  let calls = 0
  return new MockLanguageModelV4({
    doGenerate: async ({ prompt }) => {
      await Promise.resolve()
      const last = prompt.at(-1)
      const part = last?.role === 'tool' ? last.content[0] : undefined
      const output = part?.type === 'tool-result' ? part.output : undefined
      const latest = output?.type === 'json' ? (output.value as unknown as ToolResult) : undefined
      const input = output !== undefined && latest === undefined ? null : inputs(latest)
      const call = { type: 'tool-call', toolCallId: `call_${++calls}`, toolName: 'microblog_search' } as const
      const done = { finishReason: { unified: 'stop', raw: 'stop' } as const, usage, warnings: [] }
      if (input === null) return { ...done, content: [{ type: 'text', text: 'done' }] }
      return {
        ...{ ...done, finishReason: { unified: 'tool-calls', raw: 'tool_calls' } as const },
        content: [{ ...call, input: JSON.stringify(input) }],
      }
    },
  })
}

it('generateText() runs the tools until the budget says stop', async () => {
  const { sandbox, client } = setUp()
  const tools = createTools({ client, budget })
  const model = modelOf(decide)
  const { steps, text } = await generateText({ model, tools, prompt: 'go', stopWhen: isStepCount(10) })
  expect([steps.length, text]).toEqual([4, 'done'])
  expect([sandbox.ledger.spent, client.credits.spent]).toEqual([4, 4])
  const [definition] = model.doGenerateCalls[0]?.tools ?? []
  expect(definition).toMatchObject({
    name: 'microblog_search',
    description: expect.stringMatching(/2 credits/),
  } as never)
  expect(JSON.stringify(definition)).toContain('"maxLength":200')
  const technews = model.doGenerateCalls[0]?.tools?.find(({ name }) => name === 'technews_search')
  expect(technews).toMatchObject({ inputSchema: { additionalProperties: {} } })
})

it('generateText() has the input checked by the tools, and tells the model what is wrong', async () => {
  const { sandbox, client } = setUp()
  const model = modelOf(() => ({ query: 7 }))
  const tools = createTools({ client, budget })
  await generateText({ model, tools, prompt: 'go', stopWhen: isStepCount(3) })
  expect(JSON.stringify(model.doGenerateCalls[1]?.prompt.at(-1))).toContain('query must be a string')
  expect(sandbox.requests).toHaveLength(0)
})
