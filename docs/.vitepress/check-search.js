/** Queries the built index as the search of the site does, and fails if another page than expected comes first. */
import { readdirSync } from 'node:fs'
import MiniSearch from 'minisearch'
import { search } from './search.js'

/** What users type, by the page that answers it. */
const expected = {
  '/agents': ['mcp', 'openai', 'claude'],
  '/cli': ['login', 'quote', 'exit code'],
  '/cookbook': ['abort', 'cancel request', 'rotate key', 'sigterm', 'count mentions free'],
  '/credits': ['budget', 'budget per day', 'price', 'what does it cost', 'refund', 'spend limit'],
  '/errors': ['retry', 'retries', '429', 'charged', 'retry-after', 'lost response', 'resume after crash'],
  '/events': ['events'],
  '/export': ['sqlite', 'csv', 'excel', 'parquet', 'duckdb'],
  '/fleet': ['shared limiter', 'redis'],
  '/frameworks': ['react', 'next.js', 'svelte', 'vue', 'hono', 'deno', 'bun'],
  '/jobs': ['cron', 'dedupe', 'duplicates', 'slack', 'compare', 'webhook', 'last week'],
  '/limits': ['rate limit', 'timeout', 'deadline', 'worker threads'],
  '/pages': ['resume', 'pagination', 'save progress'],
  '/proxy': ['api key in browser', 'hide my key', 'cors', '402'],
  '/start': ['how to install'],
  '/support': ['python', 'supported versions', 'react native', 'windows'],
  '/telemetry': ['opentelemetry', 'metrics'],
  '/testing': [
    'offline',
    'jsdom',
    'empty page',
    'test without paying',
    'mock',
    'jest',
    'fake timers',
    'node:test',
  ],
}

const chunks = new URL('dist/assets/chunks/', import.meta.url)
const file = readdirSync(chunks).find((name) => name.startsWith('@localSearchIndexroot'))
const { default: json } = await import(new URL(file, chunks))
// The options of VPLocalSearchBox.vue in VitePress.
const index = MiniSearch.loadJSON(json, {
  fields: ['title', 'titles', 'text'],
  storeFields: ['title', 'titles'],
  searchOptions: {
    fuzzy: 0.2,
    prefix: true,
    boost: { title: 4, text: 2, titles: 1 },
    ...search.searchOptions,
  },
  ...search.options,
})

for (const [page, queries] of Object.entries(expected)) {
  for (const query of queries) {
    const found = index.search(query).map(({ id }) => id)
    if (found[0]?.replace(/#.*/, '') === page) continue
    console.error(`a search for "${query}" finds ${found.slice(0, 3).join(', ')} before ${page}`)
    process.exitCode = 1
  }
}
