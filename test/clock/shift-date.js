/**
 * Shifts `Date` by some milliseconds, until the returned function is called.
 *
 * @param {number} offset
 */
export function shiftDate(offset) {
  const RealDate = Date
  const realNow = Date.now
  const now = () => realNow() + offset
  RealDate.now = now
  globalThis.Date = new Proxy(RealDate, {
    apply: () => new RealDate(now()).toString(),
    construct: (target, args, newTarget) =>
      Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
  })
  RealDate.prototype.constructor = globalThis.Date
  return () => {
    RealDate.now = realNow
    RealDate.prototype.constructor = RealDate
    globalThis.Date = RealDate
  }
}
