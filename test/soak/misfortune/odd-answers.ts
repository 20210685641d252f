import { type Play, type Scene, chargeFor, goodBody, html, json, success } from './answers.ts'

type Body = Record<string, unknown>
type Odd = (scene: Scene) => Play

/** A secret as a careless service would repeat it. */
const echo = ({ secret, random }: Scene): string => random.pick([secret, secret, encodeURIComponent(secret)])

/** A secret with line breaks, which ids lose on their way into errors. */
export function brokenUp({ secret, random }: Scene): string {
  return random.pick([secret, `${secret.slice(0, 9)}\r\n${secret.slice(9)}`, `a ${secret}`])
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

/** A 2xx of something in between; the service may have charged, or never seen the request. */
const foreign =
  (body: (scene: Scene) => string, type = html): Odd =>
  (scene) => ({
    charge: scene.random.chance(0.6) ? chargeFor(scene, goodBody(scene)) : 0,
    answer: { status: 200, headers: [type], body: body(scene) },
  })

const meta = (body: Body): Body => (body['meta'] ??= {}) as Body

/**
 * Successes that are not what the service documents, one of each kind: test/faults has the others. Each is charged, unless
 * it came from something in between.
 */
export const oddAnswers = {
  'html with 200': foreign((scene) => `<html>${echo(scene)}</html>`),
  'other JSON': foreign(({ random }) => random.pick(['[]', 'null', '{"ok":true}']), json),
  'no request id': changed((body) => without(body, 'requestId')),
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
    (body, { random, operation: { price } }) =>
      // No more than the call has reserved.
      void (meta(body)['creditsCharged'] = random.pick<unknown>([
        ...[undefined, -1, 1.5, '3', 0],
        price === 'items' ? 40 : price,
      ])),
  ),
  echo: changed((body, scene) => ({ ...body, echo: echo(scene) })),
  'echo in cut JSON': (scene) => {
    const text = JSON.stringify({ echo: scene.secret, ...goodBody(scene) })
    return success(scene, undefined, text.slice(0, -9))
  },
  'echo in headers': (scene) => success(scene, goodBody(scene), undefined, [['x-echo', scene.secret]]),
  'wrong page': changed((body, { random }) => void (meta(body)['page'] = random.pick<unknown>([1, 7, 2]))),
  'same cursor': changed((body, { page }) => {
    Object.assign(meta(body), { hasMore: true, nextCursor: `cursor-${Math.max(2, page)}` })
  }),
  'no cursor': changed((body, { random }) => {
    Object.assign(meta(body), { hasMore: true, nextCursor: random.pick<unknown>(['', undefined, null, 5]) })
  }),
} satisfies Record<string, Odd>

function without(body: Body, name: string): Body {
  return Object.fromEntries(Object.entries(body).filter(([key]) => key !== name))
}
