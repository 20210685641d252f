import type { Log } from '../lib/logger.ts'

// The clock of Redis may be set while processes work. So each process says when its command runs by its own clock, which
// nobody sets. Redis keeps the time of the latest command (time), and how far that is ahead of its clock (shift).

/** Steps smaller than this pass for a slow command, in milliseconds: time servers do not step a clock by less. */
const stepMs = 100

/** Shortest jump that is logged, in milliseconds. */
const loggedMs = 1000

/** Lua: `clock`, the clock of Redis, and `now`, the time unless that clock was set. Needs `state`, a hash with `epoch`. */
export const readTime = `
local time = redis.call('TIME')
local clock = time[1] * 1000 + math.floor(time[2] / 1000)
local known = redis.call('HMGET', state, 'epoch', 'time', 'shift')
local current, last = known[1], tonumber(known[2]) or 0
local now = clock + (tonumber(known[3]) or 0)
`

/**
 * Lua: corrects `now` for a process that knows `epoch`, and that it must be between `least` and `most`. A new process, or
 * one that has slept while others worked, cannot know.
 */
export const correctTime = `
local epoch, least, most = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
if epoch == current and last <= most and (now < least or now > most) then now = least end
now = math.max(now, last)
redis.call('HSET', state, 'time', now, 'shift', now - clock)
`

/** How far a clock is ahead of this process's monotonic one, in milliseconds, as far as replies tell. */
class Lead {
  least = -Infinity
  most = Infinity

  /** Records a time that was read between sending and receiving; returns how far the clock must have jumped. */
  observe(time: number, sentAt: number, receivedAt: number): number {
    const [least, most] = [time - receivedAt, time - sentAt]
    const jump = Math.max(0, least - this.most) + Math.min(0, most - this.least)
    this.least = jump === 0 ? Math.max(least, this.least) : least
    this.most = jump === 0 ? Math.min(most, this.most) : most
    return jump
  }
}

/** Follows the time of the scripts, and the clock of Redis, by this process's monotonic clock. */
export class RedisClock {
  readonly #log: Log
  readonly #scripts = new Lead()
  readonly #redis = new Lead()
  #observedAt = 0

  constructor(log: Log) {
    this.#log = log
  }

  /** The clock of Redis less the monotonic one, in milliseconds, or a little more; Infinity if unknown. */
  get lead(): number {
    return this.#redis.most
  }

  /** The least and the most that the time of a script can be that is sent now. */
  bounds(): [least: number, most: number] {
    const { least, most } = this.#scripts
    const now = performance.now()
    // The command may take as long as the fastest one so far, there and back.
    return [Math.floor(now + least), Math.ceil(now + most + (most - least) + stepMs)]
  }

  /** Records the time and the clock in a script's reply, and logs a jump of the clock. */
  observe(time: number, clock: number, sentAt: number): void {
    const now = performance.now()
    this.#scripts.observe(time, sentAt, now)
    const jump = this.#redis.observe(clock, sentAt, now)
    // Two good clocks may drift apart by this much.
    const drift = (now - this.#observedAt) / 1000
    this.#observedAt = now
    if (Math.abs(jump) < loggedMs + drift) return
    this.#log('warn', 'the clock of redis has jumped', { milliseconds: Math.round(jump) })
  }
}
