import { type Play, type Scene, chargeFor, goodBody, html, json, success } from './answers.ts'

type Body = Record<string, unknown>
type Odd = (scene: Scene) => Play

/** JSON text of something nested this deep; nothing recursive could write it. */
export function nested(depth: number, kind: 'array' | 'object', core = '1'): string {
  return kind === 'array'
    ? '['.repeat(depth) + core + ']'.repeat(depth)
    : '{"a":'.repeat(depth) + core + '}'.repeat(depth)
}

/** The text with some characters written as JSON escapes, which parsing undoes. */
export function escapedInJson(text: string): string {
  return Array.from(text, (character, index) =>
    character === '/'
      ? '\\/'
      : index % 3 === 0 || character === '"' || character === '\\'
        ? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
        : character,
  ).join('')
}

const deepness = ({ random }: Scene): number =>
  random.chance(0.15) ? random.integer(20_000, 100_000) : random.integer(200, 12_000)

/** A secret as a careless service would repeat it: as it is in JSON, with escapes, or in a URL. */
function echo({ secret, random }: Scene): string {
  const plain = JSON.stringify(secret).slice(1, -1)
  return random.pick([plain, plain, escapedInJson(secret), encodeURIComponent(secret)])
}

/** A secret with line breaks, which ids lose on their way into errors. */
export function brokenUp({ secret, random }: Scene): string {
  return random.pick([secret, `${secret.slice(0, 9)}\r\n${secret.slice(9)}`, `a ${secret}`])
}

/** Adds a field that holds raw JSON text. */
function withRaw(text: string, name: string, raw: string): string {
  return `${text.slice(0, -1)},"${name}":${raw}}`
}

function itemsIn({ operation }: Scene, body: Body): unknown[] {
  const items = body[operation.list ?? '']
  return Array.isArray(items) ? items : []
}

/** Changes a good body. */
const changed =
  (change: (body: Body, scene: Scene) => unknown): Odd =>
  (scene) => {
    const body = goodBody(scene)
    return success(scene, change(body, scene) ?? body)
  }

/** A success whose text is made from the text of a good body. */
const rewritten =
  (rewrite: (text: string, scene: Scene) => string): Odd =>
  (scene) => {
    const text = rewrite(JSON.stringify(goodBody(scene)), scene)
    return success(scene, parsed(text), text)
  }

function parsed(text: string): unknown {
  try {
    return JSON.parse(text.replace('\uFEFF', ''))
  } catch {
    return undefined
  }
}

/** A 2xx of something in between; the service may have charged, or never seen the request. */
const foreign =
  (body: (scene: Scene) => string | null, status = 200, type = html): Odd =>
  (scene) => ({
    charge: scene.random.chance(0.6) ? chargeFor(scene, goodBody(scene)) : 0,
    answer: { status, headers: [type], body: body(scene) },
  })

const meta = (body: Body): Body => (body['meta'] ??= {}) as Body

/** Successes that are not what the service documents. Each is charged, unless it came from something in between. */
export const oddAnswers = {
  'html with 200': foreign(({ random, ...scene }) =>
    random.chance(0.5) ? '<html>Sign in</html>' : `<html>${echo({ ...scene, random })}</html>`,
  ),
  'empty 200': foreign(() => ''),
  '204': foreign(() => null, 204),
  '206': (scene) => ({ ...success(scene, goodBody(scene)), answer: { ...answerOf(scene), status: 206 } }),
  'other JSON': foreign(
    ({ random }) => random.pick(['[]', 'null', '42', '"text"', '{}', '{"ok":true}', '[[[]]]']),
    200,
    json,
  ),
  'no request id': changed((body) => without(body, 'requestId')),
  'odd request id': changed(
    (body, { random }) =>
      void (body['requestId'] = random.pick<unknown>(['', 5, null, {}, 'a\r\nb', 'x'.repeat(5000)])),
  ),
  'request id that echoes': changed((body, scene) => void (body['requestId'] = brokenUp(scene))),
  'wrong shape': changed((body, { operation, random }) => {
    const name = random.pick([operation.list ?? 'company', 'meta'])
    if (random.chance(0.5)) return without(body, name)
    return { ...body, [name]: random.pick<unknown>(['none', 5, null, {}, [1]]) }
  }),
  'wrong items': changed((body, scene) => {
    const items = itemsIn(scene, body)
    items.forEach((_, index) => {
      if (scene.random.chance(0.6))
        items[index] = scene.random.pick<unknown>([1, null, {}, [], 'x', { id: 5 }])
    })
  }),
  'wrong creditsCharged': changed(
    (body, { random }) =>
      void (meta(body)['creditsCharged'] = random.pick<unknown>([-1, 1.5, '3', null, {}, 1e300, 0, 40])),
  ),
  'no creditsCharged': changed((body) => ({ ...body, meta: without(meta(body), 'creditsCharged') })),
  'further fields': changed((body) => void Object.assign(body, { added: { x: [1] }, next: 5, invalid: 'x' })),
  __proto__: rewritten((text) => withRaw(text, '__proto__', '{"polluted":true}')),
  'byte order mark': rewritten((text) => `\uFEFF${text}`),
  'duplicate fields': rewritten(
    (text, scene) => `{"requestId":"${echo(scene)}","meta":5,"posts":"${echo(scene)}",${text.slice(1)}`,
  ),
  'huge string': rewritten((text, { random }) =>
    withRaw(text, 'huge', `"${'x'.repeat(random.pick([1e5, 1e6]))}"`),
  ),
  'huge number': rewritten((text) => withRaw(text, 'huge', '1e999')),
  'deep field': rewritten((text, scene) =>
    withRaw(text, 'deep', nested(deepness(scene), scene.random.pick(['array', 'object']))),
  ),
  'deep meta': rewritten((text, scene) => {
    const name = scene.random.pick(['page', 'nextCursor', 'hasMore', 'pageCount', 'added'])
    return withRaw(text, 'meta', withRaw('{"returnedCount":0}', name, nested(deepness(scene), 'object')))
  }),
  'deep item': rewritten((text, scene) =>
    withRaw(
      text,
      scene.operation.list ?? 'company',
      `[{"id":"x","deep":${nested(deepness(scene), 'object')}}]`,
    ),
  ),
  'deep body': (scene) =>
    success(scene, undefined, nested(deepness(scene), scene.random.pick(['array', 'object']))),
  'deep and echo': rewritten((text, scene) =>
    withRaw(withRaw(text, 'echo', `"${echo(scene)}"`), 'deep', nested(deepness(scene), 'object')),
  ),
  'deep echo': rewritten((text, scene) =>
    withRaw(text, 'deep', nested(deepness(scene), 'object', `"${echo(scene)}"`)),
  ),
  echo: rewritten((text, scene) => withRaw(text, 'echo', `"${echo(scene)}"`)),
  'echo as name': rewritten((text, scene) => withRaw(text, echo(scene), '1')),
  'echo in cut JSON': rewritten((text, scene) => `{"echo":"${echo(scene)}",${text.slice(1, 40)}`),
  'echo in headers': (scene) => {
    const { status, headers, body } = answerOf(scene)
    const answer = { status, headers: [...headers, ['x-echo', scene.secret] as [string, string]], body }
    return { ...success(scene, goodBody(scene)), answer }
  },
  'wrong page': changed((body, { random }) => void (meta(body)['page'] = random.pick<unknown>([1, 7, 2]))),
  'same cursor': changed((body, { page }) => {
    Object.assign(meta(body), { hasMore: true, nextCursor: `cursor-${Math.max(2, page)}` })
  }),
  'no cursor': changed((body, { random }) => {
    Object.assign(meta(body), { hasMore: true, nextCursor: random.pick<unknown>(['', undefined, null, 5]) })
  }),
  'long cursor': changed(
    (body) => void Object.assign(meta(body), { hasMore: true, nextCursor: 'c'.repeat(1025) }),
  ),
  'too large': (scene) => ({
    ...success(scene, goodBody(scene)),
    repeat: 66,
    answer: { ...answerOf(scene), body: megabyte() },
  }),
} satisfies Record<string, Odd>

const answerOf = (scene: Scene): NonNullable<Play['answer']> => ({
  status: 200,
  headers: [json],
  body: JSON.stringify(goodBody(scene)),
})

const megabyte = (): string => ' '.repeat(2 ** 20)

function without(body: Body, name: string): Body {
  return Object.fromEntries(Object.entries(body).filter(([key]) => key !== name))
}
