/** Starts the command, and without OAUTH_ISSUER also a sandbox and a stand-in for your authorization server. */
import { serveSandbox } from 'social-search-sdk/sandbox/node'
import { startLoginServer } from './login-server.ts'

// Tokens are bound to these addresses, so the next run has the same ones.
const [sandboxPort, loginPort] = [4011, 4012]

const sandbox = process.env['OAUTH_ISSUER'] === undefined ? await serveSandbox({ port: sandboxPort }) : null
if (sandbox) {
  process.env['SOCIAL_SEARCH_BASE_URL'] = sandbox.baseUrl
  process.env['OAUTH_ISSUER'] = await startLoginServer(sandbox.apiKey, loginPort)
  process.env['OAUTH_CLIENT_ID'] = 'demo'
}
await import('./cli.ts')
await sandbox?.close()
