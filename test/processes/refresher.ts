/** Renews the tokens of a file at a token endpoint. */
import { createOAuthClient } from '../../src/extensions/oauth/index.ts'
import { sqliteStore } from '../../src/extensions/shared/index.ts'
import { redirectUri } from '../oauth/authorization-server.ts'

const [path = '', url = ''] = process.argv.slice(2)
const oauth = await createOAuthClient({
  endpoints: { authorization: url, token: url },
  ...{ clientId: 'dashboard', redirectUri, baseUrl: url, scopes: ['offline_access'] },
  store: sqliteStore(path),
})
await oauth.session().token()
