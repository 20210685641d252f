import { inspect } from 'node:util'
import { expect, it } from 'vitest'
import { type PagedCall, isSocialSearchError } from '../../src/index.ts'
import { createRandom } from '../../src/extensions/sandbox/random.ts'
import { goodBody } from '../soak/misfortune/answers.ts'
import { type SoakOperation, callOperation, soakOperations } from '../soak/misfortune/operations.ts'
import { miscounts } from '../support/ledger.ts'
import { apiKey, makeClient, ok } from '../support/service.ts'

type Body = Record<string, unknown>

/** Stands for a deep value in a body that is not text yet, since JSON.stringify would not get through it. */
const hole = '@@deep@@'

const deepValues = {
  'lists 100,000 deep': `${'['.repeat(100_000)}"${apiKey}"${']'.repeat(100_000)}`,
  'objects 6,000 deep': `${'{"a":'.repeat(6000)}"${apiKey}"${'}'.repeat(6000)}`,
}

const inMeta = (fields: Body) => (body: Body) => ({ ...body, meta: { ...(body['meta'] as Body), ...fields } })

/** Where the deep value is. */
const places: Record<string, (body: Body, list: string) => Body> = {
  'an unknown field': (body) => ({ ...body, unknown: hole }),
  'an unknown field beside the key': (body) => ({ ...body, [apiKey]: apiKey, unknown: hole }),
  'a record': (body, list) => ({ ...body, [list]: [hole] }),
  'a field of a record': (body, list) => ({ ...body, [list]: [{ ...(body[list] as Body[])[0], id: hole }] }),
  'an unknown field of a record': (body, list) => ({
    ...body,
    [list]: [{ ...(body[list] as Body[])[0], unknown: hole }],
  }),
  'the list': (body, list) => ({ ...body, [list]: hole }),
  meta: (body) => ({ ...body, meta: hole }),
  'the position': inMeta({ page: hole, pageCount: hole, hasMore: true, nextCursor: hole }),
  'a field of meta': inMeta({ unknown: hole, hasMore: hole }),
  'the charge': inMeta({ creditsCharged: hole }),
  'the request id': (body) => ({ ...body, requestId: hole }),
  'names of the language': (body) => ({ ...body, constructor: hole, toJSON: hole, then: hole }),
}

/** Whether a text is anywhere in a value of any depth, also in names. */
function holds(value: unknown, text: string): boolean {
  const open = [value]
  while (open.length > 0) {
    const next = open.pop()
    if (typeof next === 'string' && next.includes(text)) return true
    if (typeof next !== 'object' || next === null) continue
    if (Object.keys(next).some((name) => name.includes(text))) return true
    for (const part of Object.values(next)) open.push(part)
  }
  return false
}

/** Answers a walk with these texts, the last one for ever; returns what breaks a promise. */
async function problemsOf(
  operation: SoakOperation,
  validation: 'strict' | 'lenient' | 'off',
  texts: string[],
) {
  const charge = Number(operation.price)
  let requests = 0
  const client = makeClient({
    fetch: () => Promise.resolve(ok(texts[Math.min(requests++, texts.length - 1)])),
    retry: false,
    limits: { perMinute: false },
  })
  const walk = callOperation(client, operation, { validation, maxPages: 3 }) as PagedCall<unknown, unknown>
  const seen: unknown[] = []
  let error: unknown
  try {
    for await (const page of walk.pages()) seen.push(page)
  } catch (thrown) {
    error = thrown
  }
  const problems = miscounts(client.credits, requests * charge)
  if (error !== undefined && !isSocialSearchError(error))
    return [...problems, `rejected with ${inspect(error)}`]
  if (error !== undefined && `${inspect(error)}${JSON.stringify(error)}`.includes(apiKey))
    problems.push('the error shows the key')
  const { body, page, next } = (error ?? {}) as { body?: unknown; page?: unknown; next?: object | null }
  const ofError = body ?? page
  if (holds([...seen, ofError], apiKey)) problems.push('a page has the key')
  // Free pages may be fetched ahead.
  const shown = seen.length + Number(ofError !== undefined)
  if (charge > 0 && shown !== requests) problems.push(`showed ${shown} of ${requests} pages`)
  if (next) walk.resume({ next })
  return problems
}

it.each([
  ...['microblog.search', 'professionalnet.posts.search', 'professionalnet.person.posts'],
  'professionalnet.industries.list',
])(
  'a walk of %s over deep pages counts the charge, shows each paid page, also in its error, and no key',
  { timeout: 120_000 },
  async (id) => {
    const operation = soakOperations.find((each) => each.id === id)!
    const random = createRandom('deep')
    const problems: string[] = []
    const bodyOf = (page: number) => goodBody({ operation, id: 'x', page, pages: 3, secret: '', random })
    let turn = 0
    for (const [kind, deep] of Object.entries(deepValues))
      for (const [place, shape] of Object.entries(places)) {
        const [head = '', ...parts] = JSON.stringify(shape(bodyOf(2), operation.list!)).split(`"${hole}"`)
        const text = head + parts.map((part) => deep + part).join('')
        const validation = (['strict', 'lenient', 'off'] as const)[turn++ % 3]!
        const either = [[text], [JSON.stringify(bodyOf(1)), text]]
        // Long ones come in one place.
        for (const texts of text.length > 150_000 ? [either[turn % 2]!] : either)
          for (const problem of await problemsOf(operation, validation, texts))
            problems.push(`${kind} in ${place}, page ${texts.length}, ${validation}: ${problem}`)
      }
    expect(problems).toEqual([])
  },
)
