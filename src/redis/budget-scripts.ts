import { correctTime, readTime } from './clock.ts'

// Times come from the Redis server, in milliseconds. Keys of one budget:
// - sums: credits spent and uncertain in the latest period, and its name; the budget's epoch, and a count of its changes;
//   isLost if Redis has lost some of them; the time
// - open: open reservations, scored by when they count as abandoned
// - lost: abandoned reservations, until their outcome arrives
// - told: reservations that ended in the last hour, since a client may send an outcome twice
// An entry is a reservation's credits, id and period, if there is one, so it can move between these keys as one value.
// Every script gets the epoch, the least and most that the time can be, and the count, as far as the process knows. It
// returns its outcome, the time, the clock of Redis, the epoch and the count.
const prelude = `
local sums, open, lost, told = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local state, knownCount = sums, tonumber(ARGV[4])
${readTime}${correctTime}
local function text(number) return string.format('%.17g', number) end
-- The same rounding as in core/credits.
local function rounded(credits) return math.floor(credits * 1e6 + 0.5) / 1e6 end
local function sum(name) return tonumber(redis.call('HGET', sums, name)) or 0 end
local function add(name, credits) redis.call('HSET', sums, name, text(rounded(sum(name) + credits))) end
local function creditsOf(entry) return tonumber(string.match(entry, '^[^ ]+')) end
local period = redis.call('HGET', sums, 'period') or ''
local function isCurrent(entry) return (string.match(entry, '^%S+ %S+ (.+)$') or '') == period end
-- Periods that have ended no longer count.
local function begin(next)
  if next <= period then return end
  period = next
  redis.call('HSET', sums, 'period', period, 'spent', 0, 'uncertain', 0)
end
-- Their process has died, perhaps after sending.
for _, entry in ipairs(redis.call('ZRANGEBYSCORE', open, '-inf', now)) do
  redis.call('ZREM', open, entry)
  redis.call('ZADD', lost, now, entry)
  if isCurrent(entry) then add('uncertain', creditsOf(entry)) end
end
local count = tonumber(redis.call('HGET', sums, 'count')) or 0
-- A replica that lagged behind, or an old file, has become this Redis. All processes have to know.
if epoch ~= '' and (epoch ~= current or count < knownCount) then redis.call('HSET', sums, 'isLost', 1) end
local function changed() count = redis.call('HINCRBY', sums, 'count', 1) end
local function reply(outcome, ...)
  if redis.call('HEXISTS', sums, 'isLost') == 1 then outcome = 'lost' end
  return { outcome, text(now), text(clock), current or '', text(count), ... }
end
local function reserved()
  local total = 0
  for _, entry in ipairs(redis.call('ZRANGE', open, 0, -1)) do
    if isCurrent(entry) then total = total + creditsOf(entry) end
  end
  return rounded(total)
end
`

/** Reserves credits, or returns how many remain. After the deadline it does nothing, since its caller has given up. */
export const reserve = `${prelude}
local entry, limit, leaseMs, deadline = ARGV[5], tonumber(ARGV[6]), tonumber(ARGV[7]), tonumber(ARGV[8])
if clock > deadline then return reply('late') end
if redis.call('HEXISTS', sums, 'isLost') == 1 then return reply('lost') end
begin(ARGV[9])
-- By the clock of another process, a later period has begun.
if ARGV[9] ~= period then return reply('over', period) end
if not current then
  current = entry
  redis.call('HSET', sums, 'epoch', current)
end
-- Outcomes older than a month no longer arrive.
redis.call('ZREMRANGEBYSCORE', lost, '-inf', now - 30 * 86400000)
if not redis.call('ZSCORE', open, entry) then
  local remaining = rounded(limit - sum('spent') - sum('uncertain') - reserved())
  if creditsOf(entry) > remaining then return reply('refused', text(math.max(0, remaining))) end
end
redis.call('ZADD', open, now + leaseMs, entry)
changed()
return reply('reserved')`

/** Ends a reservation with the credits that were spent and those that are uncertain. */
export const close = `${prelude}
local entry, spent, uncertain = ARGV[5], tonumber(ARGV[6]), tonumber(ARGV[7])
if redis.call('ZREM', lost, entry) == 1 then
  if isCurrent(entry) then add('uncertain', -creditsOf(entry)) end
elseif redis.call('ZREM', open, entry) == 0 and redis.call('ZSCORE', told, entry) then
  return reply('told')
end
-- If Redis has lost the reservation, its cost still counts.
redis.call('ZREMRANGEBYSCORE', told, '-inf', now - 3600000)
redis.call('ZADD', told, now, entry)
if isCurrent(entry) then
  add('spent', spent)
  add('uncertain', uncertain)
end
changed()
return reply('noted')`

/** Extends reservations, so that they do not count as abandoned. */
export const renew = `${prelude}
for i = 6, #ARGV do redis.call('ZADD', open, 'XX', now + ARGV[5], ARGV[i]) end
return reply('renewed')`

/** Returns the sums of the latest period. */
export const summarize = `${prelude}
begin(ARGV[5])
return reply('sums', text(sum('spent')), text(sum('uncertain')), text(reserved()))`
