import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const program = fileURLToPath(new URL('forgotten.ts', import.meta.url))

it('a call raises one unhandled rejection when it fails without being awaited', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [program])
  expect(JSON.parse(stdout)).toEqual({
    call: ['PermissionDeniedError'],
    'call.withResponse()': ['PermissionDeniedError'],
    'search.then()': ['PermissionDeniedError'],
    'search.withResponse()': ['PermissionDeniedError'],
    'pages().next()': ['PermissionDeniedError'],
    'toArray()': ['PermissionDeniedError'],
    'invalid params': ['InvalidRequestError'],
    'call.catch()': [],
    'await call': [],
    'await twice': [],
    'search.catch()': [],
    'search, unused': [],
  })
})
