/**
 * How a limiter refuses a call: a 429 closed the surface for longer than the call has patience.
 *
 * @example
 * // in a limiter of your own, if the call cannot wait that long
 * throw new SurfaceClosed(30_000)
 */
export class SurfaceClosed extends Error {
  /** Time until the surface opens, in milliseconds. */
  readonly remaining: number

  constructor(remaining: number) {
    super('the surface is closed')
    this.remaining = remaining
  }
}
