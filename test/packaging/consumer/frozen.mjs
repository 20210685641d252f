// Searches before and after this process is frozen, and prints what the client says of those after.
import { SocialSearch } from 'social-search-sdk'

const [baseUrl] = globalThis.Deno ? Deno.args : process.argv.slice(2)
const client = new SocialSearch({
  ...{ baseUrl, apiKey: 'org_canary_5f2b8c1d9e', logger: false, retry: false, timeout: 5000 },
  limits: { perMinute: false },
})
const search = (query) =>
  client.microblog.search({ query }).then(
    () => 'answered',
    ({ charged, reason }) => `${charged} (${reason})`,
  )
const said = []
for (let i = 0; i < 6; i++) {
  await Promise.all([search('before'), search('before')])
  console.log('freeze')
  await new Promise((resolve) => setTimeout(resolve, 300))
  said.push(...(await Promise.all([search('after'), search('after')])))
}
console.log(JSON.stringify(said))
if (globalThis.Deno) Deno.exit(0)
else process.exit(0)
