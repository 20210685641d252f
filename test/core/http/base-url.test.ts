import { describe, expect, it } from 'vitest'
import { resolveBaseUrl } from '../../../src/core/http/base-url.ts'
import { Redactor } from '../../../src/lib/redactor.ts'

describe('resolveBaseUrl()', () => {
  it.each([
    ['HTTPS://API.Example/v1', 'https://api.example/v1'],
    ['https://api.example:443/v1', 'https://api.example/v1'],
    ['https://api.example./v1', 'https://api.example/v1'],
    ['https://api.example/v1/', 'https://api.example/v1'],
    ['https://api.example/v1//', 'https://api.example/v1'],
    ['https://api.example//v1', 'https://api.example/v1'],
    ['https://api.example//v1/../v1', 'https://api.example/v1'],
    ['https://api.example/x/%2e%2E/v1/.', 'https://api.example/v1'],
    ['https://api.example\\v1', 'https://api.example/v1'],
    [' https://api.example/v1\n', 'https://api.example/v1'],
    ['https://api.example/%76%31', 'https://api.example/v1'],
    ['https://api.example/%7euser/a%2fb', 'https://api.example/~user/a%2Fb'],
    ['https://api.example/~user/a%2Fb', 'https://api.example/~user/a%2Fb'],
    ['https://api.example/%252e', 'https://api.example/%252e'],
    ['https://api.example/ä', 'https://api.example/%C3%A4'],
    ['https://bücher.example/v1', 'https://xn--bcher-kva.example/v1'],
    ['https://api.example', 'https://api.example'],
    ['https://api.example:8443/', 'https://api.example:8443'],
    ['http://LOCALHOST.:80/v1', 'http://localhost/v1'],
    ['http://127.1/v1', 'http://127.0.0.1/v1'],
    ['http://[0:0::1]:4010/v1', 'http://[::1]:4010/v1'],
  ])('spells %j as %s, so that it is one address', (given, spelled) => {
    expect(resolveBaseUrl(given, new Redactor())).toBe(spelled)
    expect(resolveBaseUrl(spelled, new Redactor())).toBe(spelled)
  })
})
