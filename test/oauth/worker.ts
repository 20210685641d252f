/** Calls the service with the tokens of a file until it is told to stop, and tells what became of the calls. */
import { SocialSearch } from '../../src/index.ts'
import { createOAuthClient } from '../../src/extensions/oauth/index.ts'
import { sqliteStore } from '../../src/extensions/shared/index.ts'
import { clientId, clientSecret, redirectUri } from './authorization-server.ts'

const [issuer = '', baseUrl = '', path = ''] = process.argv.slice(2)

const oauth = await createOAuthClient({
  ...{ issuer, clientId, clientSecret, redirectUri, baseUrl },
  ...{ scopes: ['org:read', 'offline_access'], store: sqliteStore(path) },
})
const client = new SocialSearch({ baseUrl, auth: oauth.session(), limits: { inFlight: 1 } })
const state = { stopped: false }
process.once('message', () => (state.stopped = true))
let calls = 0
const errors: string[] = []
while (!state.stopped && errors.length === 0) {
  await client.organization.usage().then(
    () => calls++,
    (error: unknown) => errors.push(String(error)),
  )
  await new Promise((resolve) => setTimeout(resolve, 20))
}
process.send?.({ calls, errors })
process.disconnect()
