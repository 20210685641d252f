import { escaped } from './secrets.ts'

/** Ways of a service to answer that repeat the credential wherever they can. */
export type Trick = (secret: string) => Response | Promise<Response>

function post(secret: string): Record<string, unknown> {
  const names = ['bookmark', 'favorite', 'quote', 'reply', 'retweet', 'views']
  const engagements = Object.fromEntries(names.map((name) => [`${name}Count`, 0]))
  const words = Object.fromEntries(['id', 'author', 'name', 'timestamp', 'url'].map((name) => [name, secret]))
  return { ...words, body: `a ${secret}`, images: [secret], video: null, engagements, [secret]: secret }
}

function answer(status: number, secret: string, body: unknown, more: Record<string, string> = {}): Response {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const headers = {
    'content-type': 'application/json',
    'x-echo': secret,
    [`x-${secret.slice(0, 13).replaceAll(/\W/g, '_')}`]: 'x',
    ...more,
  }
  return new Response(text, { status, statusText: secret, headers })
}

/** An error of the service that is full of the secret. */
export function refusal(status: number, more: Record<string, string> = {}): Trick {
  return (secret) => {
    const issues = [{ path: secret, message: `not ${secret}` }]
    const error = { code: secret, message: `no ${secret}`, issues }
    return answer(status, secret, { requestId: secret, error }, more)
  }
}

/** A page of a search, with the secret in its posts. */
export function page(meta: object): Trick {
  return (secret) =>
    answer(200, secret, { requestId: secret, posts: [post(secret)], meta: { returnedCount: 1, ...meta } })
}

/** The same in escapes. */
export const escapedPage: Trick = (secret) => {
  const meta = { returnedCount: 1, hasMore: false }
  const text = JSON.stringify({ requestId: 'r', posts: [post('PLACE')], meta })
  return answer(200, secret, text.replaceAll('PLACE', escaped(secret)))
}

export const escapedRefusal: Trick = (secret) =>
  answer(400, 'no', `{"requestId":"r","error":{"code":"x","message":"${escaped(secret)}"}}`)

/** An id that would be the secret without the character in it. */
export const splitId: Trick = (secret) =>
  answer(502, 'no', { requestId: `${secret.slice(0, 3)}\u200b${secret.slice(3)}`, error: { code: 'x' } })

export const wrongShape: Trick = (secret) =>
  answer(200, secret, { requestId: secret, posts: secret, meta: secret, [secret]: { [secret]: [secret] } })
export const noJson: Trick = (secret) => answer(200, secret, `<p>${secret}</p>`)
export const htmlError: Trick = (secret) => answer(502, secret, `<p>${secret}</p>`)
export const problem: Trick = (secret) =>
  answer(400, secret, { type: secret, title: secret, status: 400, detail: secret })

export function oauthError(error: string): Trick {
  return (secret) => answer(400, secret, { error, error_description: secret, [secret]: secret })
}

/** Tokens that cannot be used. */
export const oddTokens: Trick[] = [
  (secret) => answer(200, secret, { access_token: 5, token_type: secret, refresh_token: secret }),
  (secret) => answer(200, secret, { access_token: `${secret}\n`, token_type: 'bearer' }),
]

export const redirect: Trick = (secret) => {
  const location = `https://evil.example/?${encodeURIComponent(secret)}`
  return new Response(null, { status: 307, headers: { location } })
}

/** What a runtime could throw that keeps the request in its errors. */
export const broken: Trick = (secret) => {
  const cause = Object.assign(new Error(`bad header ${secret}`), {
    code: secret,
    request: { authorization: secret },
  })
  return Promise.reject(new TypeError(`fetch failed for ${secret}`, { cause }))
}

export const silent: Trick = () => new Promise(() => {})
