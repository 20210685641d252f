/** Starts the command, and without OAUTH_ISSUER also a sandbox and a stand-in for your authorization server. */
import { serveSandbox } from 'social-search-sdk/sandbox/node'
import { startLoginServer } from './login-server.ts'

const sandbox = process.env['OAUTH_ISSUER'] === undefined ? await serveSandbox() : null
if (sandbox) {
  process.env['SOCIAL_SEARCH_BASE_URL'] = sandbox.baseUrl
  process.env['OAUTH_ISSUER'] = await startLoginServer(sandbox.apiKey)
  process.env['OAUTH_CLIENT_ID'] = 'demo'
}
await import('./cli.ts')
await sandbox?.close()
