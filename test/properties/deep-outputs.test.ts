import { beforeAll, expect, it } from 'vitest'
import { clientTransport } from '../../src/core/call/transport.ts'
import { cardOf } from '../../src/cli/card.ts'
import { createFormatter, formats } from '../../src/cli/formats.ts'
import { operationOf, operations } from '../../src/api/operations.ts'
import { isSocialSearchError } from '../../src/index.ts'
import { streamOf, toCsv, toJsonl, toParquet } from '../../src/extensions/export/index.ts'
import { createProxy } from '../../src/extensions/proxy/index.ts'
import { type AgentTool, createTools, toolReport } from '../../src/extensions/tools/index.ts'
import { clientOf, failureOf, hostileTexts, service } from '../support/hostile-answers.ts'
import { type KnownCall, apiKey, knownCalls } from '../support/known-calls.ts'
import { miscounts } from '../support/ledger.ts'

let known: KnownCall[]
beforeAll(async () => void (known = await knownCalls()))

const ids = operations.map(({ id }) => id)
/** Those whose answers differ in kind: a list, a list of unknown shape, a record. */
const kinds = ['microblog.search', 'technews.search', 'professionalnet.company.get']
const knownOf = (id: string): KnownCall => known.find(({ operation }) => operation.id === id)!

it.each(ids.filter((id) => operationOf(id)?.price.kind !== 'free'))(
  'a tool turns hostile answers of %s into results that can be written, and counts them',
  async (id) => {
    const call = knownOf(id)
    const problems: string[] = []
    for (const [title, text] of hostileTexts(call, 4)) {
      const { seen, fetch } = service(call, text)
      const tools = createTools({
        client: clientOf({ fetch, retry: false }),
        budget: 100_000,
        allow: [id],
        confirm: () => true,
      })
      const [tool] = Object.values<AgentTool>(tools)
      const result = await tool!.execute({ ...call.params, ...(call.id !== undefined && { id: call.id }) })
      const found = miscounts(toolReport(tools), seen.charged)
      if (seen.requests === 0) found.push(`not sent: ${result.error?.message}`)
      if (JSON.stringify(result).includes(apiKey)) found.push('the result has the key')
      if (result.error?.code === 'failed') found.push(`an error of no known kind: ${result.error.message}`)
      problems.push(...found.map((problem) => `${title}: ${problem}`))
    }
    expect(problems).toEqual([])
  },
)

it.each(kinds)(
  'createProxy() passes on hostile answers of %s with what they cost',
  { timeout: 120_000 },
  async (id) => {
    const call = knownOf(id)
    const problems: string[] = []
    for (const [title, text] of hostileTexts(call, 4)) {
      const { seen, fetch } = service(call, text)
      const backend = clientOf({ fetch, retry: false })
      const proxy = createProxy({ client: backend, allow: ids, authorize: () => ({ id: 'ada' }) })
      const options = {
        baseUrl: 'https://app.example/api',
        apiKey: undefined,
        auth: false,
        retry: false,
      } as const
      const page = clientOf({ ...options, fetch: proxy })
      const error = await failureOf(() =>
        clientTransport(page.transport).request(call.operation, call.params, {}, call.id),
      )
      const found = [page, backend].flatMap(({ credits }) => miscounts(credits, seen.charged))
      if (error !== undefined && !isSocialSearchError(error)) found.push(`rejected with ${String(error)}`)
      if (page.credits.reserved + backend.credits.reserved > 0) found.push('credits are reserved')
      problems.push(...found.map((problem) => `${title}: ${problem}`))
    }
    expect(problems).toEqual([])
  },
)

it.each(kinds)(
  'exports and the command write hostile answers of %s in all formats',
  { timeout: 120_000 },
  async (id) => {
    const call = knownOf(id)
    const { operation } = call
    const fields = [...new Set([...Object.keys(firstRecord(call)).slice(0, 5), 'unknown', 'unknown.a.a'])]
    const problems: string[] = []
    for (const [title, text] of hostileTexts(call, 4)) {
      if (!/record|names|unknown/.test(title)) continue
      const records = recordsOf(call, JSON.parse(text))
      const attempts: Record<string, () => unknown> = {
        csv: () => exported(records, toCsv({ fields })),
        jsonl: () => exported(records, toJsonl()),
        parquet: () => exported(records, toParquet({ fields })),
      }
      for (const format of formats.filter(
        (format) => format !== 'card' || cardOf(operation.id) !== undefined,
      ))
        for (const width of [undefined, 80])
          attempts[`the command's ${format}, width ${width}`] = () =>
            createFormatter(format, operation, {
              fields: format === 'card' ? undefined : fields,
              width,
            }).page(records)
      for (const [name, attempt] of Object.entries(attempts)) {
        const wrong = await failureOf(attempt)
        if (wrong !== undefined) problems.push(`${title}, ${name}: ${String(wrong)}`)
      }
    }
    expect(problems).toEqual([])
  },
)

function firstRecord(call: KnownCall): object {
  const [first] = recordsOf(call, call.body)
  return typeof first === 'object' && first !== null ? first : {}
}

/** What a body holds, as an export or the command gets it. */
function recordsOf({ operation: { list } }: KnownCall, body: unknown): unknown[] {
  if (list === undefined) return [body]
  const records = (body as Record<string, unknown>)[list]
  return Array.isArray(records) ? records.slice(0, 2) : []
}

async function exported(records: unknown[], format: TransformStream<unknown, Uint8Array>): Promise<void> {
  async function* items(): AsyncGenerator {
    yield* await Promise.resolve(records)
  }
  await streamOf(items()).pipeThrough(format).pipeTo(new WritableStream())
}
