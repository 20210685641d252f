import { afterEach, describe, expect, it, vi } from 'vitest'
import { CatalogClient } from '../../../src/extensions/catalog/index.ts'
import { CreditBudgetError, SocialSearch, createTransport } from '../../../src/index.ts'
import { createSandbox } from '../../support/sandbox.ts'

const { baseUrl, apiKey, fetch, catalog } = createSandbox()
const client = new SocialSearch({ baseUrl, apiKey, fetch })
const wrong = (value: unknown): never => value as never

describe('error messages', () => {
  afterEach(() => vi.useRealTimers())

  it('use the singular for one', () => {
    expect(new CreditBudgetError({ needed: 1, remaining: 0 }).message).toContain('may cost 1 credit and')
  })

  it.each([
    [
      'a body of null',
      () => client.mentions.setState('men_1', wrong(null)),
      ': the body must be an object, got null',
    ],
    [
      'only a prefix',
      () => client.mentions.get('men_'),
      'id must start with men_, with more after it, got "men_"',
    ],
    [
      'an id of the catalog that is not an integer',
      () => new CatalogClient({ ...catalog, fetch }).planets.update(wrong('seven'), {}),
      'as a number that holds it exactly, got "seven"',
    ],
  ])('explain what is wrong with %s', async (_, call, message) => {
    await expect(call()).rejects.toThrow(message)
  })

  it('do not appear for unknown ids in createTransport()', () => {
    expect(() => createTransport({ baseUrl, apiKey, prices: { own: 1 } })).not.toThrow()
  })

  it.each([
    [{ signal: wrong(new AbortController()) }, 'signal must be an AbortSignal, got an object'],
    [{ singal: undefined }, 'unknown option singal; expected one of signal, '],
    [{ retry: { attempts: 2 } }, 'unknown option retry.attempts; expected one of unknown, '],
    [{ paging: { item: 'posts' } }, 'unknown option paging.item; expected one of items, next'],
    [{ schema: (value: unknown) => value }, 'schema must be a Standard Schema, got a function'],
  ])('name the option of a call as the user wrote it: %o', async (options, message) => {
    await expect(client.microblog.search({ query: 'q' }, options as object)).rejects.toThrow(
      `microblog.search: not sent: ${message}`,
    )
  })
})
