// Probes the installed package on the runtime at hand, and prints what was found as JSON.
import * as root from 'social-search-sdk'
import * as cache from 'social-search-sdk/cache'
import * as catalog from 'social-search-sdk/catalog'
import * as events from 'social-search-sdk/events'
import * as oauth from 'social-search-sdk/oauth'
import * as otel from 'social-search-sdk/otel'
import * as proxy from 'social-search-sdk/proxy'
import * as shared from 'social-search-sdk/shared'
import * as sandbox from 'social-search-sdk/sandbox'
import { probe } from './probe.ts'
import { show } from './show.ts'

const sdk = { root, cache, catalog, events, oauth, otel, proxy, shared, sandbox }
console.log(JSON.stringify(await probe(sdk, show)))
