import type * as Root from 'social-search-sdk'
import * as paths from './import-paths.ts'
import { type Inspect, everything } from './look.ts'
import { type Sdk, type See, baseUrl, caught, search, session, failing, newOrganization } from './sdk.ts'
import { occurrences, secrets } from './secrets.ts'
import * as service from './service.ts'

/** What one place was found to show. */
export interface Row {
  readonly surface: string
  /** Occurrences of a secret. */
  readonly found: number
  /** Leaks on purpose: a look that finds nothing here is blind. */
  readonly control?: true
}

/** What is wrong with rows: secrets that were found, and controls that were not. */
export function complaints(rows: readonly Row[]): string[] {
  return rows
    .filter(({ found, control }) => (control === true ? found === 0 : found > 0))
    .map(({ surface, control }) =>
      control === true ? `${surface} was not found` : `${surface} shows a secret`,
    )
}

/** Passes secrets everywhere the package accepts them, makes calls fail, and searches every reachable value. */
export async function probe(sdk: Sdk, inspect: Inspect): Promise<Row[]> {
  const rows = new Map<string, Row>()
  /** Looks at values; those of the same surface add up. */
  function see(surface: string, ...values: unknown[]): void {
    if (values.length === 0 || values.includes(undefined))
      throw new Error(`there is nothing to see of ${surface}`)
    // The row of a class has to come from errors of this class.
    const other = values.find((value) => /^\w+Error$/.test(surface) && (value as Error).name !== surface)
    if (other !== undefined) throw new Error(`expected a ${surface}, got ${(other as Error).name}`)
    const found = values.reduce<number>((sum, value) => sum + occurrences(everything(value, inspect)), 0)
    rows.set(surface, { surface, found: (rows.get(surface)?.found ?? 0) + found })
  }
  const credentials = [
    ['a key', secrets.apiKey, () => ({ apiKey: secrets.apiKey })],
    ['a token', secrets.token, () => ({ auth: session() })],
  ] as const
  for (const [kind, secret, credential] of credentials) {
    await client(sdk, see, kind, secret, credential)
  }
  for (const look of Object.values(paths)) await look(sdk, see)
  return [...rows.values(), ...controls(inspect)]
}

async function client(
  { root, otel }: Sdk,
  see: See,
  kind: string,
  secret: string,
  credential: () => Partial<Root.ClientOptions>,
): Promise<void> {
  const lines: unknown[] = []
  const write = (...line: unknown[]): void => void lines.push(line)
  const seenByHeaders: unknown[] = []
  const observed: unknown[] = []
  const note = (...told: unknown[]): void => void observed.push(told)
  const observers: Root.Observer[] = [
    { onWait: note, onAttempt: note, onCall: note },
    recordingObserver(otel, observed),
  ]
  const budget = new root.CreditBudget(1000)
  const make = (trick: service.Trick, more: Partial<Root.ClientOptions> = {}): Root.SocialSearch =>
    new root.SocialSearch({
      ...{
        baseUrl,
        organization: newOrganization(),
        retry: false,
        budget,
        dangerouslyAllowBrowser: true,
      },
      ...credential(),
      logger: { debug: write, info: write, warn: write, error: write },
      observers,
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

  for (const [name, trick, options] of failing) {
    const made = make(trick, options)
    const error = await caught(made.microblog.search(search))
    see(name, error)
    see(`SocialSearch with ${kind}`, made, made.transport, made.credits, made.withOptions({ timeout: 5 }))
  }
  see('ConnectionError of the runtime’s own fetch', await caught(unreachable(make).microblog.search(search)))
  const good = make(service.page({ hasMore: false }))
  const call = good.microblog.search(search)
  see('a call, its page and withResponse()', call, await call, await call.withResponse())
  const { response } = await call.withResponse()
  see('a call, its page and withResponse()', await response.text(), [...response.headers], response)
  const inEscapes = await make(service.escapedPage).microblog.search(search).withResponse()
  see('a call, its page and withResponse()', inEscapes, await inEscapes.response.text())
  const failed = make(service.refusal(502)).microblog.search(search)
  await caught(failed)
  see('a call, its page and withResponse()', failed)
  const lost = make(service.page({ hasMore: true })).microblog.search(search)
  see('PaginationError', await caught(lost.toArray({ limit: 5 })))
  // The `next` of a walk’s error is what the caller has passed, and is not looked at: it is there to be passed again.
  const wrong = { url: secret.repeat(200), [secret]: secret }
  see('InvalidRequestError', await caught(good.professionalnet.company.get(wrong)))
  see(
    'InvalidRequestError',
    await caught(good.mentions.get(secret)),
    await caught(good.mentions.get(`men_${secret}`)),
  )
  see('CreditBudgetError', await caught(good.microblog.search(search, { budget: new root.CreditBudget(1) })))

  const busy = make(service.silent, { limits: { inFlight: 1 }, timeout: 2000 })
  const waiting = [1, 2].map(() => caught(busy.microblog.search(search)))
  await busy.close()
  see('ClosedError', ...(await Promise.all(waiting)))

  see('the ledger and a budget', good.credits, budget)
  see('what a function for headers sees', ...seenByHeaders)
  see('log lines of every level', ...lines)
  see('observers, spans and metrics', ...observed)
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

/** Where nothing listens, and what no browser would connect to. */
function unreachable(
  make: (trick: service.Trick, more: Partial<Root.ClientOptions>) => Root.SocialSearch,
): Root.SocialSearch {
  const fetch = (request: Request): Promise<Response> => globalThis.fetch(request)
  return make(service.silent, { baseUrl: 'http://127.0.0.1:1/v1', fetch })
}

/** A value for each place that a look has to reach. */
function controls(inspect: Inspect): Row[] {
  const { apiKey } = secrets
  const leaks: Record<string, unknown> = {
    'the cause of a cause': new Error('x', { cause: new Error('y', { cause: new Error(apiKey) }) }),
    'a stack': Object.assign(new Error('x'), { stack: apiKey }),
    'a hidden property': Object.defineProperty({}, 'hidden', {
      value: { deep: [apiKey] },
      enumerable: false,
    }),
    'a getter': Object.create({
      get late() {
        return apiKey
      },
    }) as object,
    'a symbol': { [Symbol('x')]: apiKey },
    toJSON: { toJSON: () => ({ apiKey }) },
    'a map': new Map([[{ apiKey }, 1]]),
    headers: new Headers({ 'x-key': apiKey }),
    'a request': new Error('x', {
      cause: { request: new Request(baseUrl, { headers: { authorization: apiKey } }) },
    }),
    bytes: { body: new TextEncoder().encode(apiKey) },
    base64: [btoa(apiKey)],
    'the first characters': [apiKey.slice(0, 13)],
  }
  return Object.entries(leaks).map(([name, leak]) => {
    const found = occurrences(everything(leak, inspect)) > 0 ? 1 : 0
    return { surface: `control: ${name}`, found, control: true }
  })
}
