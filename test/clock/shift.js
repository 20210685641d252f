/**
 * Shifts the wall clock of a Node process by the milliseconds after `?`: `--import file:///…/shift.js?86400000`.
 * Timers and `performance` stay as they are.
 */
import { ServerResponse } from 'node:http'
import { shiftDate } from './shift-date.js'

shiftDate(Number(new URL(import.meta.url).search.slice(1)))

// Node writes this header by a clock of its own.
const { writeHead } = ServerResponse.prototype
ServerResponse.prototype.writeHead = function (...args) {
  if (this.sendDate && !this.hasHeader('date')) this.setHeader('Date', new Date().toUTCString())
  return writeHead.apply(this, args)
}
