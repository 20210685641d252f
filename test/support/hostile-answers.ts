import type { ClientOptions, SocialSearch as Client } from '../../src/index.ts'
import { SocialSearch } from '../../src/index.ts'
import { type KnownCall, apiKey } from './known-calls.ts'

/** Stands for a deep value in a body that is not text yet, since JSON.stringify would not get through it. */
const hole = '@@deep@@'

/** Values as JSON text, by what they are. */
export const deepValues = {
  'lists 100,000 deep': (bottom = '') => `${'['.repeat(100_000)}${bottom}${']'.repeat(100_000)}`,
  'objects 6,000 deep': (bottom = '1') => `${'{"a":'.repeat(6000)}${bottom}${'}'.repeat(6000)}`,
} as const

type Body = Record<string, unknown>
type Shape = (body: Body, list: string | undefined) => Body

const inMeta =
  (fields: Body): Shape =>
  (body) => ({ ...body, meta: { ...(body['meta'] as object | undefined), ...fields } })
const inFirst =
  (change: (record: Body) => unknown): Shape =>
  (body, list) => {
    if (list === undefined) return change(body) as Body
    const [first, ...others] = body[list] as Body[]
    return { ...body, [list]: [change(first ?? {}), ...others] }
  }

/** Where the deep value is. */
export const shapes: Record<string, Shape> = {
  'an unknown field': (body) => ({ ...body, unknown: hole }),
  'an unknown field of a record': inFirst((record) => ({ ...record, unknown: hole })),
  'a documented field of a record': inFirst((record) => ({
    ...record,
    ...Object.fromEntries(Object.keys(record).map((name) => [name, name === 'requestId' ? 'r' : hole])),
  })),
  'a record': (body, list) =>
    list === undefined ? { ...body, unknown: hole } : { ...body, [list]: [hole, hole] },
  'the list': (body, list) => ({ ...body, [list ?? 'posts']: hole }),
  meta: (body) => ({ ...body, meta: hole }),
  'a field of meta': inMeta({ unknown: hole }),
  'the page number': inMeta({ page: hole }),
  'the page count': inMeta({ pageCount: hole }),
  'the cursor': inMeta({ hasMore: true, nextCursor: hole }),
  hasMore: inMeta({ hasMore: hole }),
  'the charge': inMeta({ creditsCharged: hole }),
  'the request id': (body) => ({ ...body, requestId: hole }),
  'names of the language': (body) => ({
    ...body,
    ...{ constructor: hole, toJSON: hole, then: hole, toString: hole, prototype: hole },
  }),
  'a name with the key': (body) => ({ ...body, [`x ${apiKey}`]: hole }),
  'a field beside the key': (body) => ({ ...body, x: apiKey, unknown: hole }),
}

/** The text of a body with the deep value in it, in several places if it is short. */
export function hostileText({ operation, body }: KnownCall, shape: Shape, deep: string): string {
  const [head = '', ...parts] = JSON.stringify(shape(body, operation.list)).split(`"${hole}"`)
  return head + parts.map((part, index) => (index > 0 && deep.length > 50_000 ? '[]' : deep) + part).join('')
}

/** A body that names its fields twice, and sets its prototype. */
export function doubledText({ body }: KnownCall): string {
  const text = JSON.stringify(body)
  const fields = '"requestId":"first","meta":{"page":7},"__proto__":{"requestId":"p","posts":[]}'
  return `{${fields},${text.slice(1, -1)},"__proto__":{"polluted":true,"x":"${apiKey}"}}`
}

/** A service that answers every request with the next text, the last one for ever, and charges it. */
export function service(call: KnownCall, ...texts: readonly string[]) {
  const { charge } = call
  const seen = { requests: 0, charged: 0 }
  const fetch = (): Promise<Response> => {
    const text = texts[Math.min(seen.requests, texts.length - 1)]
    seen.requests++
    seen.charged += charge
    return Promise.resolve(new Response(text, { headers: { 'content-type': 'application/json' } }))
  }
  return { seen, fetch }
}

let clients = 0

/** A client without pacing. */
export function clientOf(options: Partial<ClientOptions>): Client {
  return new SocialSearch({
    ...{ baseUrl: 'https://api.example/v1', apiKey, organization: `hostile ${++clients}` },
    ...{ limits: { perMinute: false }, ...options },
  })
}

/** Whether a text is anywhere in a value of any depth, also in names. */
export function holds(value: unknown, text: string): boolean {
  const open = [value]
  while (open.length > 0) {
    const next = open.pop()
    if (typeof next === 'string' && next.includes(text)) return true
    if (typeof next !== 'object' || next === null) continue
    for (const [name, part] of Object.entries(next)) {
      if (name.includes(text)) return true
      open.push(part)
    }
  }
  return false
}

/** The error that some work ends with; undefined if it succeeds. */
export async function failureOf(work: () => unknown): Promise<Error | undefined> {
  try {
    await work()
    return undefined
  } catch (error) {
    return error instanceof Error
      ? error
      : new Error('no error was thrown, but something else', { cause: error })
  }
}

/**
 * Every place for a deep value in the answer of a call, as texts. What nests 100,000 deep takes long, so it comes in all places
 * only if the answer is paid for.
 */
export function* hostileTexts(call: KnownCall, share = 1): Generator<[title: string, text: string]> {
  for (const [kind, deep] of Object.entries(deepValues))
    for (const [index, [place, shape]] of Object.entries(shapes).entries()) {
      const text = hostileText(call, shape, deep())
      if (text.length < longText || index % (call.charge > 0 ? share : 4) === 0)
        yield [`${kind} in ${place}`, text]
    }
}

/** Length from which a text takes long. */
export const longText = 150_000
