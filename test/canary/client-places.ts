import type * as Root from 'social-search-sdk'
import { type Place, type Sdk, baseUrl, caught, failing, newOrganization, search } from './sdk.ts'
import { secrets } from './secrets.ts'
import * as service from './service.ts'

/** What a client with a key, and one with tokens, shows. */
export function clientPlaces(sdk: Sdk): Place[] {
  const { apiKey, token, clientSecret } = secrets
  // As an OAuth session does, it holds a client secret, and gives another token after a refusal.
  const session = { clientSecret, token: () => token, refresh: () => Promise.resolve() }
  return [...placesOf(sdk, apiKey, { apiKey }), ...placesOf(sdk, token, { auth: session })]
}

function placesOf({ root, otel }: Sdk, secret: string, credential: Partial<Root.ClientOptions>): Place[] {
  const lines: unknown[] = []
  const seenByHeaders: unknown[] = []
  const observed: unknown[] = []
  const write = (...line: unknown[]): void => void lines.push(line)
  const note = (...told: unknown[]): void => void observed.push(told)
  const budget = new root.CreditBudget(1000)
  const make = (trick: service.Trick, more: Partial<Root.ClientOptions> = {}): Root.SocialSearch =>
    new root.SocialSearch({
      ...{ baseUrl, organization: newOrganization(), retry: false, budget, dangerouslyAllowBrowser: true },
      ...credential,
      logger: { debug: write, info: write, warn: write, error: write },
      observers: [{ onWait: note, onAttempt: note, onCall: note }, recordingObserver(otel, observed)],
      fetch: (request) => {
        if (request.headers.get('authorization') !== `Bearer ${secret}`)
          throw new Error('no credential was sent')
        return Promise.resolve(trick(secret))
      },
      headers: (...given) => {
        seenByHeaders.push(given)
        return {}
      },
      ...more,
    })
  const good = make(service.page({ hasMore: false }))
  const fetch = (request: Request): Promise<Response> => globalThis.fetch(request)
  // Where nothing listens, and what no browser would connect to.
  const unreachable = make(service.silent, { baseUrl: 'http://127.0.0.1:1/v1', fetch })

  const find = (trick: service.Trick) => make(trick).microblog.search(search)
  return [
    ...failing.flatMap(([name, trick, options]): Place[] => {
      const made = make(trick, options)
      return [
        [name, () => made.microblog.search(search)],
        ['SocialSearch', () => [made, made.transport, made.credits, made.withOptions({ timeout: 5 })]],
      ]
    }),
    ['ConnectionError', () => unreachable.microblog.search(search)],
    ['PaginationError', () => find(service.page({ hasMore: true })).toArray({ limit: 5 })],
    // From here on, it has met the token.
    ['a call, its page and withResponse()', () => partsOf(good.microblog.search(search))],
    // The `next` of a walk’s error is what the caller has passed, and is not looked at: it is there to be passed again.
    [
      'InvalidRequestError',
      () => good.professionalnet.company.get({ url: secret.repeat(200), [secret]: secret }),
    ],
    ['InvalidRequestError', () => good.mentions.get(secret)],
    ['InvalidRequestError', () => good.mentions.get(`men_${secret}`)],
    ['CreditBudgetError', () => good.microblog.search(search, { budget: new root.CreditBudget(1) })],
    ['ClosedError', () => closed(0)],
    ['ClosedError', () => closed(1)],
    ['a page in escapes', () => partsOf(find(service.escapedPage))],
    ['a call that failed', () => failed(find(service.refusal(502)))],
    ['the ledger and a budget', () => [good.credits, budget]],
    ['what a function for headers sees', () => seenByHeaders],
    ['log lines of every level', () => lines],
    ['observers, spans and metrics', () => observed],
  ]

  /** One call is in flight, and one in the queue. */
  async function closed(index: 0 | 1): Promise<never> {
    const busy = make(service.silent, { limits: { inFlight: 1 }, timeout: 2000 })
    const ends = [0, 1].map(() => caught(() => busy.microblog.search(search)))
    await busy.close()
    return Promise.reject(await ends[index])
  }
}

type Search = ReturnType<Root.SocialSearch['microblog']['search']>

async function partsOf(call: Search): Promise<unknown[]> {
  const all = await call.withResponse()
  return [call, await call, all, await all.response.text(), [...all.response.headers], all.response]
}

async function failed(call: Search): Promise<unknown[]> {
  return [await caught(() => call), call]
}

/** Passes on what the tracer and the meter of OpenTelemetry are told. */
function recordingObserver({ otelObserver }: Sdk['otel'], told: unknown[]): Root.Observer {
  /** Each of its methods notes its arguments, and returns another of its kind. */
  const recorder = (): never => {
    const methods = {
      get:
        () =>
        (...given: unknown[]) => (told.push(given), recorder()),
    }
    return new globalThis.Proxy({}, methods) as never
  }
  return otelObserver({ tracer: recorder(), meter: recorder(), params: true })
}
