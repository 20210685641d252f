// Meets network faults on the runtime at hand and prints what the SDK made of each, as JSON.
import { SocialSearch } from 'social-search-sdk'

const [port, closedPort] = (globalThis.Deno?.args ?? process.argv.slice(2)).map(Number)
const apiKey = 'org_canary_5f2b8c1d9e'
const inspect = globalThis.Deno
  ? (value) => Deno.inspect(value, { depth: 20, showHidden: true })
  : await nodeInspect()

async function nodeInspect() {
  const { inspect } = await import('node:util')
  const deep = { depth: 20, showHidden: true }
  return (value) => inspect(value, deep) + inspect(value, { ...deep, customInspect: false })
}

async function meet(query, targetPort = port) {
  const client = new SocialSearch({ baseUrl: `http://127.0.0.1:${targetPort}/v1`, apiKey })
  try {
    const { posts } = await client.microblog.search({ query })
    return { posts: posts.length }
  } catch (error) {
    const { name, phase, charged, attempts } = error
    const seen = [
      inspect(error),
      inspect(client),
      JSON.stringify(error),
      error.stack,
      String(error.cause),
    ].join('\n')
    return { name, phase, charged, attempts: attempts.length, leaks: seen.includes(apiKey) }
  }
}

console.log(
  JSON.stringify({
    reset: await meet('reset'),
    first: await meet('warm'),
    warm: await meet('warm'),
    cut: await meet('cut'),
    redirect: await meet('redirect'),
    refused: await meet('refused', closedPort),
  }),
)
