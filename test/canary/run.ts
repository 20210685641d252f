// Probes the installed package on the runtime at hand, and prints what was found as JSON.
import * as sdk from './installed.ts'
import { probe } from './probe.ts'
import { show } from './show.ts'

console.log(JSON.stringify(await probe(sdk, show)))
