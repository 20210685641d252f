// Searches each service whose address it gets, and prints what the client says about the attempt.
import { SocialSearch } from 'social-search-sdk'

const [given] = globalThis.Deno ? Deno.args : process.argv.slice(2)
const said = {}
for (const [name, baseUrl] of Object.entries(JSON.parse(given))) {
  const options = { organization: name, logger: false, retry: false, timeout: 3000 }
  const client = new SocialSearch({ baseUrl, apiKey: 'org_canary_5f2b8c1d9e', ...options })
  const search = () =>
    client.microblog.search({ query: 'a' }).then(
      () => 'answered',
      ({ charged, phase, reason }) => `${charged} (${phase}: ${String(reason).slice(0, 60)})`,
    )
  // On the connection of a search before it, if there was one.
  if (name.includes('kept')) await search()
  said[name] = await search()
}
console.log(JSON.stringify(said))
if (globalThis.Deno) Deno.exit(0)
else process.exit(0)
