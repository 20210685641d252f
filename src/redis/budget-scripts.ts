// Times are those of Redis, in milliseconds. Keys of one budget:
// - sums: credits spent and uncertain
// - open: the reservations under way, by when they count as abandoned
// - lost: abandoned reservations, of which nobody has told yet what became of them
// - told: reservations that ended in the last hour, since what became of one may be told again
// A reservation is written as its credits and its name, so that it is in one place at a time, and told of once.
const book = `
local sums, open, lost, told = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function text(number) return string.format('%.17g', number) end
-- Like all sums of credits in this package.
local function rounded(credits) return math.floor(credits * 1e6 + 0.5) / 1e6 end
local function sum(name) return tonumber(redis.call('HGET', sums, name)) or 0 end
local function add(name, credits) redis.call('HSET', sums, name, text(rounded(sum(name) + credits))) end
local function creditsOf(entry) return tonumber(string.match(entry, '^[^ ]+')) end
-- Whoever had them has died, perhaps after sending.
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

/** Sets credits aside, or says how many remain. */
export const reserve = `${book}
local entry, limit, leaseMs, known = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4] == '1'
if redis.call('EXISTS', sums) == 0 then
  if known then return { 'lost' } end
  add('spent', 0)
end
-- After a month, nobody comes back to tell.
redis.call('ZREMRANGEBYSCORE', lost, '-inf', now - 30 * 86400000)
if not redis.call('ZSCORE', open, entry) then
  local remaining = rounded(limit - sum('spent') - sum('uncertain') - reserved())
  if creditsOf(entry) > remaining then return { 'refused', text(math.max(0, remaining)) } end
end
redis.call('ZADD', open, now + leaseMs, entry)
return { 'reserved' }`

/** Says what became of a reservation: so many credits spent, and so many uncertain. */
export const close = `${book}
local entry, spent, uncertain = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
if redis.call('ZREM', lost, entry) == 1 then
  add('uncertain', -creditsOf(entry))
elseif redis.call('ZREM', open, entry) == 0 then
  -- A Redis that has lost the reservation alone must not lose its cost; one that has lost all has no budget to add to.
  if redis.call('EXISTS', sums) == 0 or redis.call('ZSCORE', told, entry) then return 'told' end
end
redis.call('ZREMRANGEBYSCORE', told, '-inf', now - 3600000)
redis.call('ZADD', told, now, entry)
add('spent', spent)
add('uncertain', uncertain)
return 'noted'`

/** Keeps reservations from counting as abandoned. */
export const renew = `${book}
for i = 2, #ARGV do redis.call('ZADD', open, 'XX', now + ARGV[1], ARGV[i]) end`

export const summarize = `${book}
return { text(sum('spent')), text(sum('uncertain')), text(reserved()) }`
