// Probes the installed package on the runtime at hand, and prints what was found as JSON.
import { inspect } from 'node:util'
import * as root from 'social-search-sdk'
import * as cache from 'social-search-sdk/cache'
import * as catalog from 'social-search-sdk/catalog'
import * as events from 'social-search-sdk/events'
import * as oauth from 'social-search-sdk/oauth'
import * as otel from 'social-search-sdk/otel'
import * as proxy from 'social-search-sdk/proxy'
import * as shared from 'social-search-sdk/shared'
import * as sandbox from 'social-search-sdk/sandbox'
import { deep } from './deep.ts'
import { probe } from './probe.ts'

const rows = await probe(
  { root, cache, catalog, events, oauth, otel, proxy, shared, sandbox },
  (value) => inspect(value, deep) + inspect(value, { ...deep, customInspect: false }),
)
console.log(JSON.stringify(rows))
