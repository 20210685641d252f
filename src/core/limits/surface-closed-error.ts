/** How a limiter refuses a call: a 429 closed the surface for longer than the call has patience. */
export class SurfaceClosed extends Error {
  /** Time until the surface opens, in milliseconds. */
  readonly remaining: number

  constructor(remaining: number) {
    super('the surface is closed')
    this.remaining = remaining
  }
}
