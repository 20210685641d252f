import { describe, expect, it } from 'vitest'
import { ResultCache } from '../../src/extensions/cache/index.ts'
import { SocialSearch } from '../../src/index.ts'
import { otelObserver } from '../../src/extensions/otel/index.ts'
import { serveSandbox } from '../support/sandbox.ts'
import { expected } from './expected.ts'
import { scenario } from './scenario.ts'

describe('otelObserver() with the SDK of OpenTelemetry', () => {
  it('makes the tree of spans around the HTTP spans of undici, and the metrics', async () => {
    const exported = await scenario({ SocialSearch, ResultCache, otelObserver, serveSandbox })
    expect(exported).toEqual(expected)
  })
})
