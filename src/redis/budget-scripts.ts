// Times come from the Redis server, in milliseconds. Keys of one budget:
// - sums: credits spent and uncertain
// - open: open reservations, scored by when they count as abandoned
// - lost: abandoned reservations, until their outcome arrives
// - told: reservations that ended in the last hour, since a client may send an outcome twice
// An entry is a reservation's credits and id, so it can move between these keys as one value.
const prelude = `
local sums, open, lost, told = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function text(number) return string.format('%.17g', number) end
-- The same rounding as in core/credits.
local function rounded(credits) return math.floor(credits * 1e6 + 0.5) / 1e6 end
local function sum(name) return tonumber(redis.call('HGET', sums, name)) or 0 end
local function add(name, credits) redis.call('HSET', sums, name, text(rounded(sum(name) + credits))) end
local function creditsOf(entry) return tonumber(string.match(entry, '^[^ ]+')) end
-- Their process has died, perhaps after sending.
for _, entry in ipairs(redis.call('ZRANGEBYSCORE', open, '-inf', now)) do
  redis.call('ZREM', open, entry)
  redis.call('ZADD', lost, now, entry)
  add('uncertain', creditsOf(entry))
end
local function reserved()
  local total = 0
  for _, entry in ipairs(redis.call('ZRANGE', open, 0, -1)) do total = total + creditsOf(entry) end
  return rounded(total)
end
`

/** Reserves credits, or returns how many remain. */
export const reserve = `${prelude}
local entry, limit, leaseMs, known = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4] == '1'
if redis.call('EXISTS', sums) == 0 then
  if known then return { 'lost' } end
  add('spent', 0)
end
-- Outcomes older than a month no longer arrive.
redis.call('ZREMRANGEBYSCORE', lost, '-inf', now - 30 * 86400000)
if not redis.call('ZSCORE', open, entry) then
  local remaining = rounded(limit - sum('spent') - sum('uncertain') - reserved())
  if creditsOf(entry) > remaining then return { 'refused', text(math.max(0, remaining)) } end
end
redis.call('ZADD', open, now + leaseMs, entry)
return { 'reserved' }`

/** Ends a reservation with the credits that were spent and those that are uncertain. */
export const close = `${prelude}
local entry, spent, uncertain = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
if redis.call('ZREM', lost, entry) == 1 then
  add('uncertain', -creditsOf(entry))
elseif redis.call('ZREM', open, entry) == 0 then
  -- If Redis lost only the reservation, its cost still counts. If it lost everything, there is no budget to add to.
  if redis.call('EXISTS', sums) == 0 or redis.call('ZSCORE', told, entry) then return 'told' end
end
redis.call('ZREMRANGEBYSCORE', told, '-inf', now - 3600000)
redis.call('ZADD', told, now, entry)
add('spent', spent)
add('uncertain', uncertain)
return 'noted'`

/** Extends reservations, so that they do not count as abandoned. */
export const renew = `${prelude}
for i = 2, #ARGV do redis.call('ZADD', open, 'XX', now + ARGV[1], ARGV[i]) end`

export const summarize = `${prelude}
return { text(sum('spent')), text(sum('uncertain')), text(reserved()) }`
