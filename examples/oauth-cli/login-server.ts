/** Stands in for your authorization server, for this demo alone: it lets everybody in without asking. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import { toNodeListener } from 'social-search-sdk/node'

export async function startLoginServer(accessToken: string, port: number): Promise<string> {
  const issuer = `http://127.0.0.1:${port}`
  const server = createServer(
    toNodeListener((request): Response => {
      const { pathname, searchParams } = new URL(request.url)
      if (pathname === '/authorize') {
        const back = new URL(searchParams.get('redirect_uri') ?? '')
        back.search = String(new URLSearchParams({ code: 'demo', state: searchParams.get('state') ?? '' }))
        return Response.redirect(back)
      }
      if (pathname === '/token')
        return Response.json({
          access_token: accessToken,
          token_type: 'Bearer',
          expires_in: 3600,
          refresh_token: 'demo',
        })
      return Response.json({
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
      })
    }),
  )
  await once(server.listen(port, '127.0.0.1'), 'listening')
  server.unref() // it ends with the command
  return issuer
}
