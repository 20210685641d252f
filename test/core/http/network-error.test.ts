import { describe, expect, it } from 'vitest'
import { explainNetworkError } from '../../../src/core/http/network-error.ts'
import { FollowedRequest } from '../../../src/core/http/undici.ts'
import { Redactor } from '../../../src/lib/redactor.ts'

const server = { baseUrl: 'https://api.example.com/v1', redactor: new Redactor() }
const { signal } = new AbortController()
const url = 'https://api.example.com/v1/data'
const answered = new FollowedRequest(url, signal)
await answered.follow(() => Promise.resolve(), false)
const explain = (error: unknown, asked = server) =>
  explainNetworkError(error, asked, new FollowedRequest(url, signal))

/** An error of fetch as Node has it, with the cause below it. */
const below = (cause: object) =>
  new TypeError('fetch failed', { cause: Object.assign(new Error('inner'), cause) })
const coded = (code: string, syscall?: string) => below({ code, ...(syscall && { syscall }) })
const streamEnd = (end: string) =>
  below({ code: 'ERR_HTTP2_STREAM_ERROR', message: `Stream closed with error code ${end}` })
const ofBun = (code: string, message = `${code}: Was there a typo in the url or port?`) =>
  Object.assign(new TypeError(message), { code, errno: 0 })

const untrusted = 'client error (Connect): invalid peer certificate: Expired'
const refused = 'client error (Connect): tcp connect error'
const cutOff = 'Client network socket disconnected before secure TLS connection was established'
const refusedStream = 'stream error received: refused stream before processing any application logic'
const ofDeno = (hint: string) => `Requires net access to "api.example:443", run again ${hint}`
const tunnel = (status: number) => `Proxy response (${status}) !== 200 when HTTP Tunneling`
const notCapable = (hint: string) => Object.assign(new Error(ofDeno(hint)), { name: 'NotCapable' })
const blocked = 'Fetch failed: Requests to port 6000 are blocked'
const alert = 'ERR_SSL_TLSV1_ALERT_INTERNAL_ERROR'
const certificateAlert = 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED'
const [allow, deny] = ['with the --allow-net flag', 'without the --deny-net flag']

describe('explainNetworkError()', () => {
  const cases: [name: string, error: unknown, phase: string, reason: string][] = [
    ['a name that does not resolve', coded('ENOTFOUND', 'getaddrinfo'), 'connect', 'ENOTFOUND'],
    ['a refused connection', coded('ECONNREFUSED', 'connect'), 'connect', 'ECONNREFUSED'],
    ['an unreachable host while connecting', coded('EHOSTUNREACH', 'connect'), 'connect', 'EHOSTUNREACH'],
    [
      'an unreachable host on an open connection',
      coded('EHOSTUNREACH', 'read').cause,
      'exchange',
      'EHOSTUNREACH',
    ],
    [
      'a reset after another server has refused',
      Object.assign(coded('ECONNRESET', 'read').cause as Error, {
        cause: coded('ECONNREFUSED', 'connect').cause,
      }),
      'exchange',
      'ECONNRESET',
    ],
    [
      'a reset without a system call, after another server has refused',
      Object.assign(coded('ECONNRESET').cause as Error, { cause: coded('ECONNREFUSED').cause }),
      'exchange',
      'ECONNRESET',
    ],
    [
      'Bun, a reset after another server has refused',
      Object.assign(ofBun('ECONNRESET', 'x'), { cause: ofBun('ConnectionRefused', 'y') }),
      'exchange',
      'ECONNRESET',
    ],
    ['an unreachable host without further details', coded('EHOSTUNREACH'), 'exchange', 'EHOSTUNREACH'],
    ['a connect timeout', coded('UND_ERR_CONNECT_TIMEOUT'), 'connect', 'UND_ERR_CONNECT_TIMEOUT'],
    [
      'all addresses refused',
      below({ errors: [coded('ECONNREFUSED', 'connect').cause] }),
      'connect',
      'ECONNREFUSED',
    ],
    ['Bun, refused', ofBun('ConnectionRefused', 'x'), 'connect', 'ConnectionRefused'],
    ...['ENETUNREACH', 'EHOSTUNREACH', 'EADDRNOTAVAIL', 'EACCES', 'EINVAL'].map(
      (code): (typeof cases)[number] => [`Bun, ${code}`, ofBun(code), 'connect', code],
    ),
    ['Bun, no tunnel', coded('ERR_PROXY_TUNNEL'), 'connect', 'ERR_PROXY_TUNNEL'],
    ['Deno, refused', new TypeError('fetch failed', { cause: new Error(refused) }), 'connect', refused],
    ['Deno, untrusted', new TypeError(untrusted), 'tls', untrusted],
    ['Deno, not allowed', notCapable(allow), 'connect', ofDeno(allow)],
    ['Deno, denied', notCapable(deny), 'connect', ofDeno(deny)],
    ['an expired certificate', coded('CERT_HAS_EXPIRED'), 'tls', 'CERT_HAS_EXPIRED'],
    ['a self-signed certificate', coded('DEPTH_ZERO_SELF_SIGNED_CERT'), 'tls', 'DEPTH_ZERO_SELF_SIGNED_CERT'],
    [
      'an expired certificate of a proxy',
      below({ code: 'UND_ERR_PRX_TLS', cause: coded('CERT_HAS_EXPIRED').cause }),
      'tls',
      'CERT_HAS_EXPIRED',
    ],
    ['a port that fetch refuses', below({ message: 'bad port' }), 'connect', 'bad port'],
    ['a cut-off TLS handshake', below({ code: 'ECONNRESET', message: cutOff }), 'connect', 'ECONNRESET'],
    ['a reset', coded('ECONNRESET', 'read'), 'exchange', 'ECONNRESET'],
    ['a browser', new TypeError('Failed to fetch'), 'exchange', 'Failed to fetch'],
    ['a bug in the caller’s fetch', new ReferenceError('db is not defined'), 'exchange', 'db is not defined'],
    ['Deno, a port that it refuses', new TypeError(blocked), 'connect', blocked],
    ['a refusal of HTTP/2', streamEnd('NGHTTP2_REFUSED_STREAM'), 'exchange', 'ERR_HTTP2_STREAM_ERROR'],
    ['another end of HTTP/2', streamEnd('NGHTTP2_INTERNAL_ERROR'), 'exchange', 'ERR_HTTP2_STREAM_ERROR'],
    ['an alert, perhaps after the request', coded(alert), 'exchange', alert],
    ['an alert about our certificate', coded(certificateAlert), 'exchange', certificateAlert],
    ['Bun, TLS that broke, perhaps after the request', coded('EPROTO'), 'exchange', 'EPROTO'],
    ['nothing', undefined, 'exchange', 'no reason given'],
  ]
  it.each(cases)('reads %s', (_, error, phase, reason) => {
    expect(explain(error)).toMatchObject({ phase, reason })
  })

  it.each([
    ['EHOSTUNREACH', 'connect EHOSTUNREACH 192.0.2.1:443', 'connect'],
    ['ENETUNREACH', 'connect ENETUNREACH 192.0.2.1:443 - Local (0.0.0.0:0)', 'connect'],
    ['EAI_AGAIN', 'getaddrinfo EAI_AGAIN api.example.com', 'connect'],
    ['ENETUNREACH', '', 'connect'],
    ['EHOSTUNREACH', 'read EHOSTUNREACH', 'exchange'],
    ['ECONNRESET', 'read ECONNRESET', 'exchange'],
    ['ECONNRESET', 'socket hang up', 'exchange'],
  ])('reads %s of node-fetch: %s', (code, words, phase) => {
    const message = `request to https://api.example.com/v1/x failed, reason: ${words}`
    const error = Object.assign(new Error(message), { type: 'system', errno: code, code })
    expect(explain(error)).toMatchObject({ phase, reason: code })
  })

  it.each([
    ['net::ERR_INTERNET_DISCONNECTED', 'connect'],
    ['net::ERR_NAME_NOT_RESOLVED', 'connect'],
    ['net::ERR_CONNECTION_REFUSED', 'connect'],
    ['net::ERR_CONNECTION_RESET', 'exchange'],
    ['net::ERR_NETWORK_CHANGED', 'exchange'],
    ['the backend said net::ERR_NAME_NOT_RESOLVED', 'exchange'],
    ['fetch failed: java.net.UnknownHostException: Unable to resolve host "api.example.com"', 'connect'],
    ['fetch failed: java.net.ConnectException: Failed to connect to /192.0.2.1:443', 'connect'],
    ['fetch failed: java.net.SocketTimeoutException: failed to connect to /192.0.2.1', 'connect'],
    ['fetch failed: java.net.SocketTimeoutException: timeout', 'exchange'],
    ['fetch failed: java.net.SocketException: Connection reset', 'exchange'],
  ])('reads the words of Electron and expo/fetch: %s', (reason, phase) => {
    expect(explain(new Error(reason))).toMatchObject({ phase, reason })
  })

  it.each([
    [streamEnd('NGHTTP2_REFUSED_STREAM'), 'unsent'],
    [streamEnd('NGHTTP2_CANCEL'), 'no-answer'],
    [new TypeError(refusedStream), 'unsent'],
    [new TypeError(tunnel(403)), 'untrusted'],
    [new TypeError(tunnel(407)), 'untrusted'],
    [new TypeError(tunnel(502)), 'unsent'],
    [new TypeError('client error (Connect): unsuccessful tunnel'), 'untrusted'],
    [coded('EPROTO'), 'no-answer'],
  ])('knows whether another attempt is safe, and makes sense: %o', (error, kind) => {
    expect(explain(error).kind).toBe(kind)
    expect(explainNetworkError(error, server, answered).kind).toBe('no-answer')
  })

  it('ends when a cause is circular', () => {
    const error = new Error('round')
    error.cause = error
    expect(explain(error).phase).toBe('exchange')
  })

  it.each([
    [coded('ENOTFOUND', 'getaddrinfo'), 'cannot reach api.example.com (ENOTFOUND)'],
    [coded('CERT_HAS_EXPIRED'), 'no trusted TLS connection to api.example.com (CERT_HAS_EXPIRED)'],
    [coded('ECONNRESET', 'read'), 'the connection failed after the request was sent (ECONNRESET)'],
  ])('says what failed when the error is %o', (error, message) => {
    expect(explain(error).message).toBe(message)
  })

  it('redacts a host that is a secret', () => {
    const redactor = new Redactor()
    redactor.add('sk_live_123')
    const { message } = explain(coded('ENOTFOUND'), { baseUrl: 'https://sk_live_123/v1', redactor })
    expect(message).toBe('cannot reach [redacted] (ENOTFOUND)')
  })
})
