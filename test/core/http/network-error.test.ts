import { describe, expect, it } from 'vitest'
import { explainNetworkError, readNetworkFailure } from '../../../src/core/http/network-error.ts'
import { Redactor } from '../../../src/lib/redact.ts'

const server = { baseUrl: 'https://api.example.com/v1', redactor: new Redactor() }

const below = (cause: object) =>
  new TypeError('fetch failed', { cause: Object.assign(new Error('inner'), cause) })

describe('readNetworkFailure()', () => {
  const cases: [name: string, error: unknown, phase: string, reason: string][] = [
    [
      'a name that does not resolve',
      below({ code: 'ENOTFOUND', syscall: 'getaddrinfo' }),
      'connect',
      'ENOTFOUND',
    ],
    ['a refused connection', below({ code: 'ECONNREFUSED', syscall: 'connect' }), 'connect', 'ECONNREFUSED'],
    [
      'an unreachable host while connecting',
      below({ code: 'EHOSTUNREACH', syscall: 'connect' }),
      'connect',
      'EHOSTUNREACH',
    ],
    [
      'an unreachable host on an open connection',
      below({ code: 'EHOSTUNREACH', syscall: 'read' }),
      'exchange',
      'EHOSTUNREACH',
    ],
    [
      'an unreachable host without further details',
      below({ code: 'EHOSTUNREACH' }),
      'exchange',
      'EHOSTUNREACH',
    ],
    ['a connect timeout', below({ code: 'UND_ERR_CONNECT_TIMEOUT' }), 'connect', 'UND_ERR_CONNECT_TIMEOUT'],
    [
      'all addresses refused',
      below({ errors: [{ code: 'ECONNREFUSED', syscall: 'connect' }] }),
      'connect',
      'ECONNREFUSED',
    ],
    [
      'Bun, refused',
      Object.assign(new Error('x'), { code: 'ConnectionRefused' }),
      'connect',
      'ConnectionRefused',
    ],
    [
      'Deno, refused',
      new TypeError('fetch failed', { cause: new Error('client error (Connect): tcp connect error') }),
      'connect',
      'client error (Connect): tcp connect error',
    ],
    [
      'Deno, untrusted',
      new TypeError('client error (Connect): invalid peer certificate: Expired'),
      'tls',
      'client error (Connect): invalid peer certificate: Expired',
    ],
    ...['run again with the --allow-net flag', 'run again without the --deny-net flag'].map(
      (hint): [string, unknown, string, string] => {
        const message = `Requires net access to "api.example:443", ${hint}`
        return [
          `Deno, ${hint}`,
          Object.assign(new Error(message), { name: 'NotCapable' }),
          'connect',
          message,
        ]
      },
    ),
    ['an expired certificate', below({ code: 'CERT_HAS_EXPIRED' }), 'tls', 'CERT_HAS_EXPIRED'],
    [
      'a self-signed certificate',
      below({ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' }),
      'tls',
      'DEPTH_ZERO_SELF_SIGNED_CERT',
    ],
    ['a port that fetch refuses', below({ message: 'bad port' }), 'connect', 'bad port'],
    [
      'a TLS handshake that was cut off',
      below({
        code: 'ECONNRESET',
        message: 'Client network socket disconnected before secure TLS connection was established',
      }),
      'connect',
      'ECONNRESET',
    ],
    ['a reset', below({ code: 'ECONNRESET', syscall: 'read' }), 'exchange', 'ECONNRESET'],
    ['a browser', new TypeError('Failed to fetch'), 'exchange', 'Failed to fetch'],
    ['a bug in the caller’s fetch', new ReferenceError('db is not defined'), 'exchange', 'db is not defined'],
    ['nothing', undefined, 'exchange', 'no reason given'],
  ]
  it.each(cases)('reads %s', (_, error, phase, reason) => {
    expect(readNetworkFailure(error)).toEqual({ phase, reason })
  })

  it('ends when a cause is circular', () => {
    const error = new Error('round')
    error.cause = error
    expect(readNetworkFailure(error).phase).toBe('exchange')
  })
})

describe('explainNetworkError()', () => {
  it.each([
    [
      { code: 'ENOTFOUND', syscall: 'getaddrinfo' },
      'connecting to api.example.com failed, nothing was sent (ENOTFOUND)',
    ],
    [
      { code: 'CERT_HAS_EXPIRED' },
      'no trusted TLS connection to api.example.com, nothing was sent (CERT_HAS_EXPIRED)',
    ],
    [
      { code: 'ECONNRESET', syscall: 'read' },
      'the connection failed after the request was sent (ECONNRESET)',
    ],
  ])('names the host when %o', (cause, message) => {
    expect(explainNetworkError(below(cause), server, false).message).toBe(message)
  })

  it('redacts a host that is a secret', () => {
    const redactor = new Redactor()
    redactor.add('sk_live_123')
    const { message } = explainNetworkError(
      below({ code: 'ENOTFOUND' }),
      { baseUrl: 'https://sk_live_123/v1', redactor },
      false,
    )
    expect(message).toBe('connecting to [redacted] failed, nothing was sent (ENOTFOUND)')
  })
})
