import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Middleware, ConnectionError } from '../../src/index.ts'
import { settle, useVirtualTime } from '../support/clock.ts'
import { failure, makeClient, ok, scriptedService, unreachable } from '../support/service.ts'

const service = scriptedService()
beforeEach(useVirtualTime)
afterEach(() => vi.useRealTimers())

const query = { query: 'rust' }

describe('middleware', () => {
  it('wraps every attempt, the first one outermost', async () => {
    service.script(failure(502, 'upstream_error'), ok())
    const trace: string[] = []
    const named =
      (name: string): Middleware =>
      async (request, next, { operation, attempt }) => {
        trace.push(`${name} ${operation} ${attempt}`)
        const response = await next(request)
        trace.push(`${name} ${response.status}`)
        return response
      }
    await settle(makeClient({ middleware: [named('a'), named('b')] }).microblog.search(query))
    expect(trace).toEqual([
      ...['a microblog.search 1', 'b microblog.search 1', 'b 502', 'a 502'],
      ...['a microblog.search 2', 'b microblog.search 2', 'b 200', 'a 200'],
    ])
  })

  it('changes what is sent', async () => {
    service.script(ok())
    const trace: Middleware = (request, next) => {
      const headers = new Headers(request.headers)
      headers.set('traceparent', '00-1')
      return next(new Request(request, { headers }))
    }
    await settle(makeClient({ middleware: [trace] }).microblog.search(query))
    expect(service.arrivals[0]?.headers.get('traceparent')).toBe('00-1')
    expect(JSON.parse(service.arrivals[0]!.body)).toEqual(query)
  })

  it('sees typed errors, never what fetch threw', async () => {
    service.script(unreachable())
    let caught: unknown
    const watch: Middleware = (request, next) =>
      next(request).catch((error: unknown) => {
        caught = error
        throw error
      })
    await settle(makeClient({ middleware: [watch] }).microblog.search(query))
    expect(caught).toBeInstanceOf(ConnectionError)
  })

  it('cannot send twice in one attempt', async () => {
    service.script(() => ok())
    const twice: Middleware = async (request, next) => {
      await next(request.clone())
      return next(request)
    }
    const { error } = await settle(makeClient({ middleware: [twice] }).microblog.search(query))
    expect((error as Error).message).toMatch(/called next\(\) twice/)
    expect(service.arrivals).toHaveLength(1)
  })

  it('that throws before sending costs nothing, and after sending leaves the credits uncertain', async () => {
    service.script(() => ok())
    const bug = new TypeError('bug')
    const before = makeClient({ middleware: [() => Promise.reject(bug)] })
    expect((await settle(before.microblog.search(query))).error).toBe(bug)
    expect(before.credits).toMatchObject({ spent: 0, uncertain: 0, reserved: 0 })
    const after = makeClient({
      middleware: [
        async (request, next) => {
          await next(request)
          throw bug
        },
      ],
    })
    expect((await settle(after.microblog.search(query))).error).toBe(bug)
    expect(after.credits).toMatchObject({ spent: 0, uncertain: 2, reserved: 0 })
    expect(service.arrivals).toHaveLength(1)
  })
})

describe('logger', () => {
  it('does not affect the result when it throws', async () => {
    service.script(failure(502, 'upstream_error'), ok())
    const broken = () => {
      throw new Error('disk full')
    }
    const logger = { debug: broken, info: broken, warn: broken, error: broken }
    const { value } = await settle(makeClient({ logger }).microblog.search(query))
    expect(value?.posts).toHaveLength(1)
  })

  it('is told of each attempt with its requestId', async () => {
    service.script(failure(502, 'upstream_error'), ok())
    const lines: [string, unknown][] = []
    const write = (message: string, fields: unknown) => void lines.push([message, fields])
    await settle(makeClient({ logger: { debug: write, info: write, warn: write } }).microblog.search(query))
    expect(lines.map(([message]) => message)).toEqual([
      'sending',
      'attempt failed',
      'retrying',
      'sending',
      'answered',
    ])
    expect(lines[1]?.[1]).toMatchObject({
      requestId: 'req_upstream_error',
      outcome: 'upstream_error',
      charged: 'no',
    })
    expect(lines[4]?.[1]).toMatchObject({ requestId: 'req_1', status: 200 })
  })

  it('warns when an attempt may have been charged', async () => {
    service.script(unreachable())
    const warn = vi.fn()
    await settle(makeClient({ logger: { warn } }).microblog.search(query))
    expect(warn).toHaveBeenCalledWith('attempt failed', expect.objectContaining({ charged: 'unknown' }))
  })
})
