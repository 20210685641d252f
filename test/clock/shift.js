/**
 * Shifts the wall clock of a Node process by the milliseconds after `?`: `--import file:///…/shift.js?86400000`.
 * Timers and `performance` stay as they are.
 */
import { ServerResponse } from 'node:http'

const RealDate = Date
const realNow = Date.now
const offset = Number(new URL(import.meta.url).search.slice(1))

const now = () => realNow() + offset
RealDate.now = now
globalThis.Date = new Proxy(RealDate, {
  apply: () => new RealDate(now()).toString(),
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
})
RealDate.prototype.constructor = globalThis.Date

// Node writes this header by a clock of its own.
const { writeHead } = ServerResponse.prototype
ServerResponse.prototype.writeHead = function (...args) {
  if (this.sendDate && !this.hasHeader('date')) this.setHeader('Date', new RealDate(now()).toUTCString())
  return writeHead.apply(this, args)
}
