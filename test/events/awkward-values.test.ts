import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { EventOptions } from '../../src/extensions/events/index.ts'
import { awkwardFunctions } from '../support/awkward-functions.ts'
import { makeReceiver } from './setup.ts'

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
  ['onError', (fail) => ({ verify: fail, onError: fail })],
]

describe.each(seams)('createEventReceiver() when %s', (_, options) => {
  it.each(awkwardFunctions)('%s responds with a status', async (_, fail) => {
    for (const onError of [options(fail).onError ?? (() => {}), undefined]) {
      const { post } = makeReceiver({ onError, ...options(fail) })
      expect(await post('{}')).toBeGreaterThanOrEqual(202)
    }
  })
})
