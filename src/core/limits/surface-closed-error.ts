/** A limiter rejects with it if a 429 closed the surface for longer than the call's `patience`. */
export class SurfaceClosed extends Error {
  /** Time until the surface opens, in milliseconds. */
  readonly remaining: number

  constructor(remaining: number) {
    super('the surface is closed')
    this.remaining = remaining
  }
}
