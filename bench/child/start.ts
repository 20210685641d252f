/** Prints how long it takes to import a program and to set up its client. Argument: program. */
import { apiKey, load, nowhere, stopwatch, tell } from './set-up.ts'

const stop = stopwatch()
const create = await load(process.argv[2])
create({ baseUrl: nowhere, apiKey, fetch: undefined })
tell(stop())
