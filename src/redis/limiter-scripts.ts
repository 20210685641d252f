import { correctTime, readTime } from './clock.ts'

// Times are in milliseconds, and come from the Redis server, since clocks of processes differ. Keys of one organization:
// - leases: the requests in flight, scored by when they expire
// - log: the sends to one surface, scored by when they arrive at the latest
// - gate: until when a 429 closes the surface (openAt), and the lease that is its probe, or 'due'
// - surfaceQueue, slotQueue: the processes that wait for one surface or only for a slot, scored by when they came
// - state: an epoch, which changes when Redis loses its data, a time until which nothing is granted (quiet), and the time
// Every script gets the epoch, and the least and most that the time can be, as far as its process knows.

/** How long Redis keeps unused keys, in milliseconds; it loses none if its clock jumps by less. */
export const stateMs = 86_400_000

/** How long a place is kept for the first process in a queue, and how soon the others ask again, in milliseconds. */
const turnMs = 200
const againMs = 20

/** A new process asks the others for the time if none has called for this long, in milliseconds. */
const unsureMs = 200

const keys = `
local leases, log, gate, state = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
${readTime}`
const prelude = `${keys}${correctTime}
redis.call('PEXPIRE', state, ${stateMs})
local function reply(...) return { now, clock, current or '', ... } end
`

const close = `
local function close(ms)
  local openAt = math.max(tonumber(redis.call('HGET', gate, 'openAt')) or 0, now + ms)
  redis.call('HSET', gate, 'openAt', openAt, 'probe', 'due')
  redis.call('PEXPIRE', gate, openAt - now + ${stateMs})
end
`

/** Asks all processes to tell the time, unless one has told it just now; returns how many it has asked. */
export const askTime = `${keys}
if last == 0 or now - last < ${unsureMs} then return 0 end
return redis.call('PUBLISH', ARGV[4], ARGV[5])`

/** Grants a lease, or returns why not and for how long. */
export const acquire = `${prelude}
local id, inFlight, limit, span = ARGV[4], tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7])
local arrival, leaseMs, logged, quietMs = tonumber(ARGV[8]), tonumber(ARGV[9]), ARGV[10] == '1', tonumber(ARGV[11])
local surfaceQueue, slotQueue, me = KEYS[5], KEYS[6], ARGV[12]
local since = tonumber(redis.call('ZSCORE', surfaceQueue, me)) or now
local function join(queue)
  redis.call('ZADD', queue, since, me)
  redis.call('PEXPIRE', queue, ${stateMs})
end
-- A process that does not take its place in time has died, or no longer needs it.
local function isTurn(queue)
  local head = redis.call('ZRANGE', queue, 0, 0, 'WITHSCORES')
  if not head[1] or head[1] == me or tonumber(head[2]) >= since then return true end
  local kept, from = 'kept ' .. queue, 'from ' .. queue
  if redis.call('HGET', state, kept) ~= head[1] then
    redis.call('HSET', state, kept, head[1], from, now)
  elseif now - redis.call('HGET', state, from) >= ${turnMs} then
    redis.call('ZREM', queue, head[1])
    return isTurn(queue)
  end
  return false
end
if epoch ~= '' and epoch ~= current then return { now, clock, '', 'lost' } end
if not current then
  current = id
  redis.call('HSET', state, 'epoch', current)
  -- Subscribers may know the state that Redis has lost.
  if redis.call('PUBLISH', ARGV[13], ARGV[14]) > 0 then redis.call('HSET', state, 'quiet', now + quietMs) end
end
redis.call('ZREMRANGEBYSCORE', leases, '-inf', now)
-- The client repeats the command if it got no reply.
if redis.call('ZSCORE', leases, id) then return reply('granted') end

-- A process keeps its place in the slot queue only while a slot is all it needs.
redis.call('ZREM', slotQueue, me)
local quiet = tonumber(redis.call('HGET', state, 'quiet')) or 0
if quiet > now then return reply('until', quiet - now) end
local openAt = tonumber(redis.call('HGET', gate, 'openAt')) or 0
if openAt > now then return reply('closed', openAt - now) end
local probe = redis.call('HGET', gate, 'probe')
local out = probe and redis.call('ZSCORE', leases, probe)
if out then return reply('probe', out - now) end
if logged then
  redis.call('ZREMRANGEBYSCORE', log, '-inf', now - span)
  if limit >= 0 and redis.call('ZCARD', log) >= limit then
    join(surfaceQueue)
    local blocker = redis.call('ZREVRANGE', log, limit - 1, limit - 1, 'WITHSCORES')
    -- The response to a request in flight may still show that it arrived sooner.
    return reply('paced', blocker[2] + span - now, redis.call('ZSCORE', leases, blocker[1]) and 1 or 0)
  end
end
join(surfaceQueue)
join(slotQueue)
if redis.call('ZCARD', leases) >= inFlight then
  return reply('slots', redis.call('ZRANGE', leases, 0, 0, 'WITHSCORES')[2] - now)
end
if (limit >= 0 and not isTurn(surfaceQueue)) or not isTurn(slotQueue) then return reply('until', ${againMs}) end

for _, queue in ipairs({ surfaceQueue, slotQueue }) do
  redis.call('ZREM', queue, me)
  redis.call('HDEL', state, 'kept ' .. queue)
end
redis.call('ZADD', leases, now + leaseMs, id)
redis.call('PEXPIRE', leases, ${stateMs})
if logged then
  redis.call('ZADD', log, now + arrival, id)
  redis.call('PEXPIRE', log, ${stateMs})
end
-- A probe that is neither due nor in flight has died, so this request becomes the probe.
if probe then
  redis.call('HSET', gate, 'probe', id)
  redis.call('PEXPIRE', gate, ${stateMs})
end
return reply('granted')`

/** Moves a request's arrival, if it is sent later than expected. */
export const sent = `${prelude}
redis.call('ZADD', log, now + ARGV[5], ARGV[4])
redis.call('PEXPIRE', log, ${stateMs})`

/** Ends the lease of a request that was sent, and notifies all processes. */
export const release = `${prelude}
local id, answeredAgo = ARGV[4], tonumber(ARGV[5])
local arrival = answeredAgo >= 0 and tonumber(redis.call('ZSCORE', log, id))
if arrival and now - answeredAgo < arrival then redis.call('ZADD', log, now - answeredAgo, id) end
if redis.call('HGET', gate, 'probe') == id then redis.call('HDEL', gate, 'probe') end
redis.call('ZREM', leases, id)
redis.call('PUBLISH', ARGV[6], ARGV[7])`

/** Cancels a lease that was not used. */
export const cancel = `${prelude}
local id = ARGV[4]
redis.call('ZREM', log, id)
if redis.call('HGET', gate, 'probe') == id then redis.call('HSET', gate, 'probe', 'due') end
redis.call('ZREM', leases, id)
redis.call('PUBLISH', ARGV[5], ARGV[6])`

/** Extends leases, and tells the time. */
export const renew = `${prelude}
for i = 5, #ARGV do redis.call('ZADD', leases, now + ARGV[4], ARGV[i]) end
redis.call('PEXPIRE', leases, ${stateMs})`

/** Closes a surface, and notifies all processes. */
export const hold = `${prelude}${close}
close(ARGV[4])
redis.call('PUBLISH', ARGV[5], ARGV[6])`

/**
 * Restores the state that Redis may have missed or lost. If Redis has lost its data, it grants nothing for a while, so
 * that the other processes can restore theirs.
 */
export const resync = `${prelude}${close}
local told = cjson.decode(ARGV[4])
if not current then
  current = told.epoch
  redis.call('HSET', state, 'epoch', current, 'quiet', now + told.quietMs)
  redis.call('PUBLISH', ARGV[5], ARGV[6])
end
for _, id in ipairs(told.released) do redis.call('ZREM', leases, id) end
for _, id in ipairs(told.held) do redis.call('ZADD', leases, now + told.leaseMs, id) end
for _, send in ipairs(told.sends) do redis.call('ZADD', log, now - send[2], send[1]) end
-- A probe in flight stays the only one; its response decides.
local probe = redis.call('HGET', gate, 'probe')
if told.holdMs > 0 and not (probe and redis.call('ZSCORE', leases, probe)) then close(told.holdMs) end
redis.call('PEXPIRE', leases, ${stateMs})
redis.call('PEXPIRE', log, ${stateMs})
return reply()`
