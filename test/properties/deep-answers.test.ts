import { inspect } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import { clientTransport } from '../../src/core/call/transport.ts'
import { operations } from '../../src/api/operations.ts'
import {
  CreditBudget,
  InvalidResponseError,
  type SocialSearch,
  isSocialSearchError,
} from '../../src/index.ts'
import {
  clientOf,
  deepValues,
  failureOf,
  doubledText,
  holds,
  hostileText,
  hostileTexts,
  longText,
  service,
  shapes,
} from '../support/hostile-answers.ts'
import { type KnownCall, apiKey, knownCalls } from '../support/known-calls.ts'
import { miscounts } from '../support/ledger.ts'

let known: KnownCall[]
beforeAll(async () => void (known = await knownCalls()))

const validations = ['strict', 'lenient', 'off'] as const
type Validation = (typeof validations)[number]
const knownOf = (id: string): KnownCall => known.find(({ operation }) => operation.id === id)!

/** Whether an answer with the key has it still. */
const hasKey = (sent: string, body: unknown) => sent.includes(apiKey) && holds(body, apiKey)

/** What every call must keep to, whatever it is answered. */
function problemsOf(
  client: SocialSearch,
  budget: CreditBudget,
  charged: number,
  error: Error | undefined,
): string[] {
  const problems = [client.credits, budget].flatMap((each) => miscounts(each, charged))
  if (error === undefined) return problems
  if (!isSocialSearchError(error)) return [...problems, `rejected with ${String(error)}`]
  try {
    if (`${inspect(error)}${JSON.stringify(error)}`.includes(apiKey)) problems.push('the error has the key')
  } catch (thrown) {
    problems.push(`the error cannot be shown: ${String(thrown)}`)
  }
  return problems
}

/** Every text for a call, with what is odd about it, and how it is validated. Long ones come once, in one of the ways. */
function* answersFor(call: KnownCall): Generator<[title: string, text: string, validation: Validation]> {
  let long = known.indexOf(call)
  for (const [title, text] of textsFor(call))
    for (const validation of text.length > longText ? [validations[long++ % 3]!] : validations)
      yield [`${title}, ${validation}`, text, validation]
}

function* textsFor(call: KnownCall): Generator<[title: string, text: string]> {
  yield* hostileTexts(call)
  for (const [kind, deep] of Object.entries(deepValues)) {
    const text = hostileText(call, shapes['an unknown field']!, deep(`"${apiKey}"`))
    yield [`${kind} in an unknown field, the key at the bottom`, text]
    yield [`${kind} for the body`, deep()]
  }
  yield ['doubled fields and a prototype', doubledText(call)]
  yield ['a text of two million', JSON.stringify({ ...call.body, x: `${'x'.repeat(2_000_000)}${apiKey}` })]
}

describe.each(operations.map(({ id }) => id))(
  '%s, answered with hostile JSON',
  { timeout: 120_000 },
  (id) => {
    it('resolves or rejects with the body, counts the charge and hides the key', async () => {
      const call = knownOf(id)
      const problems: string[] = []
      for (const [title, sent, validation] of answersFor(call)) {
        const { seen, fetch } = service(call, sent)
        const budget = new CreditBudget(100_000)
        const client = clientOf({ fetch, retry: false })
        const options = { validation, budget }
        const found: string[] = []
        const error = await failureOf(async () => {
          const made = clientTransport(client.transport).request(
            call.operation,
            call.params,
            options,
            call.id,
          )
          const { body, text } = await made
          if (hasKey(sent, body) || text.includes(apiKey)) found.push('the page has the key')
        })
        found.push(...problemsOf(client, budget, seen.charged, error))
        if (error instanceof InvalidResponseError) {
          if (error.body === undefined) found.push('the body is lost')
          else if (hasKey(sent, error.body)) found.push('the body has the key')
        } else if (error !== undefined) found.push(`rejected with ${String(error)}`)
        problems.push(...found.map((problem) => `${title}: ${problem}`))
      }
      expect(problems).toEqual([])
      expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
    })
  },
)

it.each([
  ['just below', -2000, undefined],
  ['just above', 3, 'InvalidResponseError'],
])('search() counts an answer of a size %s the limit, without the key', async (_, more, name) => {
  const call = knownOf('microblog.search')
  const text = JSON.stringify({ ...call.body, x: `\\u006f${apiKey.slice(1)}` }).replace('\\\\u', '\\u')
  const filler = 'x'.repeat(64 * 2 ** 20 + more - Buffer.byteLength(text) - 8)
  const { seen, fetch } = service(call, `{"y":"${filler}",${text.slice(1)}`)
  const client = clientOf({ fetch, retry: false })
  let body: unknown
  const error = await failureOf(async () => {
    body = await client.microblog.search({ query: 'data' })
  })
  expect([error?.name, holds(body ?? (error as InvalidResponseError).body, apiKey)]).toEqual([name, false])
  expect([seen.charged, client.credits.spent + client.credits.uncertain]).toEqual([2, 2])
})
