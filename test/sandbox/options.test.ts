import { describe, expect, it } from 'vitest'
import { type Fault, type SandboxOptions, createSandbox } from '../../src/sandbox/index.ts'

describe('createSandbox()', () => {
  it.each([
    [{ posts: -1 }, 'createSandbox() option posts must be an integer from 0 to 100000, got -1'],
    [{ posts: '10' }, 'createSandbox() option posts must be an integer from 0 to 100000, got "10"'],
    [{ seed: 0.5 }, 'createSandbox() option seed must be an integer, got 0.5'],
    [{ latency: -1 }, 'option latency must be a number from 0 to 1000000000, got -1'],
    [{ latency: NaN }, 'option latency must be a number from 0 to 1000000000, got NaN'],
    [{ latency: [20, 10] }, 'option latency must be a number of milliseconds or [min, max], got [20, 10]'],
    [{ limits: { inFlight: 0 } }, 'option limits.inFlight must be an integer of at least 1, got 0'],
    [{ limits: { perMinute: true } }, 'option limits.perMinute must be an integer of at least 1, got true'],
    [{ limits: { windowMs: 0 } }, 'option limits.windowMs must be a number from 1 to 1000000000, got 0'],
    [{ limits: { inflight: 1 } }, 'option limits has no field inflight'],
    [{ sede: 1 }, 'createSandbox() options has no field sede'],
    [{ keys: [{ key: 'my secret', scopes: [] }] }, 'keys[0].key must be a text of visible ASCII characters'],
  ])('throws a TypeError naming the field when given %j', (options, message) => {
    const create = () => createSandbox(options as unknown as SandboxOptions)
    expect(create).toThrow(TypeError)
    expect(create).toThrow(message)
  })

  it('throws a TypeError naming the field when lost permissions are not a list', () => {
    const keys = [{ key: 'k', scopes: [], lost: 'org:read' }]
    expect(() => createSandbox({ keys } as unknown as SandboxOptions)).toThrow(
      'keys[0].lost must be an array',
    )
  })

  it('does not repeat a key when it refuses it', () => {
    expect(() => createSandbox({ keys: [{ key: 'my secret', scopes: [] }] })).not.toThrow(/my secret/)
  })
})

describe('inject()', () => {
  it.each([
    [{ status: 101 }, 'inject() field status must be an integer from 200 to 599, got 101'],
    [{ status: 600 }, 'field status'],
    [{ status: '500' }, 'inject() field status must be an integer from 200 to 599, got "500"'],
    [
      { operation: 'microblog.serach' },
      'inject() field operation must be one of microblog.search, professionalnet.posts.search,',
    ],
    [{ times: 0 }, 'inject() field times must be an integer of at least 1, got 0'],
    [{ skip: -1 }, 'inject() field skip must be an integer of at least 0, got -1'],
    [{ delay: Infinity }, 'inject() field delay must be a number from 0 to 1000000000, got Infinity'],
    [{ code: 'teapot' }, 'inject() field status must be 400 to 599 where code is teapot, got undefined'],
    [{ retryAfter: 'soon' }, 'inject() field retryAfter must be a number, got "soon"'],
    [{ reset: 'during' }, 'inject() field reset must be one of before, after, got "during"'],
    [{ cut: true }, 'inject() field cut must be one of stall, truncate, reset, got true'],
    [{ headers: { 'bad name': 'x' } }, 'inject() field headers must hold valid header names'],
    [{ body: 7 }, 'inject() field body must be a string or an object, got 7'],
    [{ status: 204, body: 'x' }, 'inject() field body needs a status that has a body, got 204'],
    [{ stauts: 500 }, 'inject() fault has no field stauts'],
    [null, 'inject() fault must be an object, got null'],
  ])('throws a TypeError naming the field when given %j', (fault, message) => {
    const sandbox = createSandbox()
    const inject = () => sandbox.inject(fault as unknown as Fault)
    expect(inject).toThrow(TypeError)
    expect(inject).toThrow(message)
  })
})
