/** Measures fleets on a real Redis and a real Postgres: who gets how many requests, and how many of those that are allowed. */
import { parseArgs } from 'node:util'
import pLimit from 'p-limit'
import { startPostgres } from '../../test/postgres/server.ts'
import { startRedis } from '../../test/redis/server.ts'
import { type Fleet, run } from './fleet.ts'

const list = (type: string, values: string) =>
  ({ type: 'string', default: values, description: type }) as const
const { values } = parseArgs({
  options: {
    stores: list('where the state is', 'redis,postgres'),
    far: list('round trips of one process, in milliseconds', '0,60,150,300'),
    near: list('how many processes are near the store beside it', '1,3'),
    service: list('how long a request takes, in milliseconds', '50'),
    seconds: list('how long each fleet calls', '124'),
    parallel: list('fleets at the same time', '4'),
    throughput: list('instead, so many near processes without a limit of the rate', '0'),
    rounds: list('how often each fleet is measured', '1'),
  },
})
const numbers = (text: string): number[] => text.split(',').map(Number)
const [serviceMs = NaN] = numbers(values.service)
const seconds = Number(values.seconds)
const processes = Number(values.throughput)

const servers = [await startRedis(), await startPostgres()] as const
const [redis, postgres] = servers
const urls = { ioredis: redis.url, redis: redis.url, postgres: postgres.url }
const limited = pLimit(processes > 0 ? 1 : Number(values.parallel))

const fleets: Omit<Fleet, 'storeUrl' | 'store'>[] =
  processes > 0
    ? [
        {
          roundTrips: Array.from({ length: processes }, () => 0),
          limits: { inFlight: 2, perMinute: 1_000_000, windowMs: 60_000 },
          ...{ serviceMs, seconds, calls: 4 },
        },
      ]
    : numbers(values.near).flatMap((near) =>
        numbers(values.far).map((far) => ({
          roundTrips: [far, ...Array.from({ length: near }, () => 0)],
          limits: { inFlight: 2, perMinute: 20, windowMs: 60_000 },
          ...{ serviceMs, seconds, calls: 100 },
        })),
      )
// The margin of each window is over before the next one begins.
const allowed = processes > 0 ? (seconds * 2000) / serviceMs : 20 * Math.ceil(seconds / 62)

console.log(`${seconds} s, ${serviceMs} ms for a request, ${allowed} allowed; the far process first\n`)
console.log('| Store | Far, ms | Requests | Sum | Share | Refused |\n| --- | --: | --- | --: | --- | --: |')
const rows = Array.from({ length: Number(values.rounds) }).flatMap(() =>
  (values.stores.split(',') as Fleet['store'][]).flatMap((store) =>
    fleets.map((fleet) =>
      limited(async () => {
        const { requests, refused } = await run({ ...fleet, store, storeUrl: urls[store] })
        const sum = requests.reduce((total, count) => total + count, 0)
        const equal = sum / requests.length
        const share = [Math.min(...requests), Math.max(...requests)]
          .map((count) => `${count < equal ? '' : '+'}${Math.round((count / equal - 1) * 100)} %`)
          .join(' to ')
        const part = `${sum}, ${Math.round((sum / allowed) * 100)} %`
        return `| ${store} | ${fleet.roundTrips[0]} | ${requests.join(' ')} | ${part} | ${share} | ${refused} |`
      }),
    ),
  ),
)
for (const row of rows) console.log(await row)
await redis.kill()
await postgres.remove()
