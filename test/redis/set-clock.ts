import type { Redis } from 'ioredis'
import type { Connection } from './clients.ts'

const key = 'test:clock'

/** What Redis has for its clock, and what a script gets that reads it through {@link settable}. */
const time = "redis.call('TIME')"
const setTime = `
local function setTime()
  local time = ${time}
  local ms = time[1] * 1000 + math.floor(time[2] / 1000) + (tonumber(redis.call('GET', '${key}')) or 0)
  return { math.floor(ms / 1000), ms % 1000 * 1000 }
end
`

/** A client whose scripts see a clock that the test can set, which Redis itself has no command for. */
export function settable(client: Connection['client']): Connection['client'] {
  const { evalsha, eval: evaluate, duplicate } = client as Redis
  const run = (script: string, ...rest: [number, ...string[]]) => {
    if (!script.includes(time)) throw new Error('the script takes its time from elsewhere')
    return evaluate.call(client, setTime + script.replaceAll(time, 'setTime()'), ...rest)
  }
  return { evalsha, eval: run as typeof evaluate, duplicate: duplicate.bind(client) }
}

/** Sets the clock of Redis ahead, or back, with the times at which its keys expire. */
export async function setClock(admin: Redis, ms: number): Promise<void> {
  const script = `
    redis.call('INCRBY', '${key}', ARGV[1])
    for _, key in ipairs(redis.call('KEYS', '*')) do
      local left = redis.call('PTTL', key)
      if left >= 0 then redis.call('PEXPIRE', key, left - ARGV[1]) end
    end`
  await admin.eval(script, 0, ms)
}
