import { beforeEach, describe, expect, it, vi } from 'vitest'
import { createCallbackReceiver } from '../../src/extensions/catalog/index.ts'
import type { EventOptions } from '../../src/extensions/events/index.ts'
import { awkwardFunctions } from '../support/awkward-functions.ts'
import { makeReceiver, url } from './setup.ts'

const log = vi.spyOn(console, 'error')
beforeEach(() => void log.mockReset().mockReturnValue())

const schemaOf = (validate: () => never) =>
  ({ '~standard': { version: 1, vendor: 'test', validate } }) as const

const issueOf = async (fail: () => Promise<never>) => ({ issues: [await fail()] })

const seams: [name: string, options: (fail: () => never) => Partial<EventOptions>][] = [
  ['verify', (fail) => ({ verify: fail })],
  ['onEvent', (fail) => ({ onEvent: fail })],
  ['schema', (fail) => ({ schema: schemaOf(fail) })],
  ['an issue of schema', (fail) => ({ schema: schemaOf(() => issueOf(fail) as never) })],
  ['replay.timestamp', (fail) => ({ replay: { timestamp: fail } })],
  ['id', (fail) => ({ id: fail })],
  ['seen', (fail) => ({ seen: fail })],
  ['onError', (fail) => ({ verify: fail, onError: fail })],
  ['waitUntil', (fail) => ({ waitUntil: fail })],
]

describe.each(seams)('createEventReceiver() when %s', (_, options) => {
  it.each(awkwardFunctions)('%s responds with a status', async (_, fail) => {
    for (const onError of [options(fail).onError ?? (() => {}), undefined]) {
      const { post } = makeReceiver({ onError, ...options(fail) })
      expect(await post('{}')).toBeGreaterThanOrEqual(202)
    }
  })
})

describe('createCallbackReceiver() when a function', () => {
  it.each(awkwardFunctions)('%s responds with a status', async (_, fail) => {
    const options = { successUrl: url, failureUrl: '/failure', verify: () => true, onCallback: () => {} }
    for (const changed of [{ verify: fail }, { onCallback: fail }, { waitUntil: fail }]) {
      const receive = createCallbackReceiver({ ...options, ...changed })
      const { status } = await receive(new Request(url, { method: 'POST', body: '{}' }))
      expect(status).toBeGreaterThanOrEqual(202)
    }
  })
})
