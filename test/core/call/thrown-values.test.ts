/* eslint-disable @typescript-eslint/require-await, @typescript-eslint/no-misused-promises -- user code in every form */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type ClientOptions, isSocialSearchError } from '../../../src/index.ts'
import { messageOf } from '../../../src/lib/thrown.ts'
import { thrownValues } from '../../support/thrown-values.ts'
import { abortIn, settle, virtualTime } from '../../support/clock.ts'
import { page } from '../../support/pages.ts'
import { failure, makeClient, ok, rateLimited } from '../../support/service.ts'

virtualTime()
afterEach(() => {
  unhandled.length = 0
})

const unhandled: unknown[] = []
const note = (reason: unknown): void => void unhandled.push(reason)
beforeAll(() => void process.on('unhandledRejection', note))
afterAll(() => void process.off('unhandledRejection', note))

type Fail = () => never
type Options = Partial<ClientOptions> & { signal?: AbortSignal; schema?: unknown; paging?: unknown }

const reservation = { settle: () => {}, release: () => {}, markUncertain: () => {} }
const budgetOf = (parts: object) => ({ reserve: () => ({ ...reservation, ...parts }) })
const schemaOf = (validate: () => unknown) => ({ '~standard': { version: 1, vendor: 'test', validate } })

/** Every place of a call that runs user code, by what the code does there. */
const seams: Record<string, (fail: Fail, value: never) => Options> = {
  'a beforeRequest hook throws': (fail) => ({ hooks: { beforeRequest: [fail] } }),
  'a beforeRequest hook returns': (_, value) => ({ hooks: { beforeRequest: [() => value] } }),
  'fetch throws': (fail) => ({ fetch: fail }),
  'fetch resolves with': (_, value) => ({ fetch: async () => value }),
  'fetch rejects': (_, value) => ({ fetch: () => Promise.reject(value) }),
  'the body fails': (_, value) => ({
    fetch: async () => new Response(new ReadableStream({ pull: (controller) => controller.error(value) })),
  }),
  'budget.reserve() throws': (fail) => ({ budget: { reserve: fail } }),
  'budget.reserve() resolves with': (_, value) => ({ budget: { reserve: async () => value } }),
  'reservation.settle() throws': (fail) => ({ budget: budgetOf({ settle: fail }) }),
  'reservation.release() throws': (fail) => ({ budget: budgetOf({ release: fail }) }),
  'reservation.markUncertain() rejects': (_, value) => ({
    budget: budgetOf({ markUncertain: () => Promise.reject(value) }),
  }),
  'onCall throws': (fail) => ({ observers: [{ onCall: fail }] }),
  'onCall rejects': (_, value) => ({ observers: [{ onCall: () => Promise.reject(value) }] }),
  'onAttempt throws': (fail) => ({ observers: [{ onAttempt: fail }] }),
  'onWait throws': (fail) => ({ observers: [{ onWait: fail }] }),
  'the logger throws': (fail) => ({ logger: { debug: fail, info: fail, warn: fail, error: fail } }),
  'auth.token() throws': (fail) => ({ apiKey: undefined, auth: { token: fail } }),
  'auth.token() returns': (_, value) => ({ apiKey: undefined, auth: { token: () => value } }),
  'auth.refresh() throws': (fail) => ({ apiKey: undefined, auth: { token: () => 'token-1', refresh: fail } }),
  'the schema throws': (fail) => ({ schema: schemaOf(fail) }),
  'the schema returns': (_, value) => ({ schema: schemaOf(() => value) }),
  'the schema has as issue': (_, value) => ({ schema: schemaOf(() => ({ issues: [value] })) }),
  'paging.next throws': (fail) => ({ paging: { items: 'posts', next: fail } }),
  'paging.next returns': (_, value) => ({ paging: { items: 'posts', next: () => value } }),
  'the signal aborts with': (_, value) => ({ signal: abortIn(0, value) }),
}

/** What the service answers, and what it charges for. */
const answers = {
  'a page': () => ok(),
  'a 401': () => failure(401, 'unauthorized'),
  'a 429': () => rateLimited(1),
  'a 503': () => failure(503, 'unavailable'),
  'no response': () => Promise.reject(new TypeError('fetch failed')),
}

/** Options that a call has, besides those of a client. */
const callOptions = ['schema', 'paging', 'signal', 'budget', 'hooks']

/** Makes one call, and checks that it tells the truth about what the service charged. */
async function checkCall(make: () => unknown, optionsOf: (typeof seams)[string], name: keyof typeof answers) {
  const value = make() as never
  const fail: Fail = () => {
    throw value
  }
  let charged = 0
  const serve = async (): Promise<Response> => {
    await new Promise((resolve) => setTimeout(resolve, 10))
    if (name === 'a page') charged += 2
    return answers[name]()
  }
  const all = optionsOf(fail, value)
  const pick = (isOfCall: boolean) =>
    Object.fromEntries(Object.entries(all).filter(([option]) => callOptions.includes(option) === isOfCall))
  const client = makeClient({ fetch: serve, retry: { maxAttempts: 2 }, ...pick(false) })
  const [result] = await Promise.allSettled([client.microblog.search({ query: 'rust' }, pick(true))])
  const { spent, uncertain, reserved } = client.credits
  expect(reserved).toBe(0)
  expect(spent).toBeLessThanOrEqual(charged)
  expect(spent + uncertain).toBeGreaterThanOrEqual(charged)
  // The slot of an aborted request is free a moment later.
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(client.status().slots.taken).toBe(0)
  await client.close()
  if (result.status === 'fulfilled') return
  const reason: unknown = result.reason
  if (isSocialSearchError(reason)) {
    if (spent > 0) expect(reason).toMatchObject({ charged: 'yes', body: { posts: page(['1'])['posts'] } })
    return
  }
  const own: unknown = all.signal ? all.signal.reason : value
  if (!Object.is(own, reason)) expect(messageOf(reason)).toBe(messageOf(own))
}

describe('a call', () => {
  it.each(Object.entries(seams))('loses nothing when %s a value that is no error', async (_, optionsOf) => {
    const checks = thrownValues.flatMap(([value, make]) =>
      (Object.keys(answers) as (keyof typeof answers)[]).map((answer) =>
        checkCall(make, optionsOf, answer).catch((cause: unknown) => {
          throw new Error(`${value}, after ${answer}`, { cause })
        }),
      ),
    )
    const { error } = await settle(Promise.all(checks))
    if (error !== undefined) throw error as Error
    expect(unhandled).toEqual([])
  })
})
