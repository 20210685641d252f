// Runs the scenario with the installed package on the runtime at hand, and prints what was exported as JSON.
import { SocialSearch } from 'social-search-sdk'
import { ResultCache } from 'social-search-sdk/cache'
import { otelObserver } from 'social-search-sdk/otel'
import { serveSandbox } from 'social-search-sdk/sandbox/node'
import { scenario } from './scenario.ts'

console.log(JSON.stringify(await scenario({ SocialSearch, ResultCache, otelObserver, serveSandbox })))
