/** How much faster the days of this test go than real ones, and when they begin. */
export interface FastClock {
  /** In milliseconds since 1970, by the real clock. */
  readonly began: number
  /** What the fast clock says then. */
  readonly start: number
  readonly factor: number
}

const RealDate = Date

/** The time of the fast clock. */
export function fastNow({ began, start, factor }: FastClock): number {
  return start + (RealDate.now() - began) * factor
}

/** Makes this process live by the fast clock. Short timers stay as they are: they wait for real work. */
export function liveFast(clock: FastClock): void {
  globalThis.Date = class extends RealDate {
    constructor(...args: [] | [number | string]) {
      super(...((args.length === 0 ? [fastNow(clock)] : args) as [number]))
    }
    static override now = (): number => fastNow(clock)
  } as DateConstructor
  performance.now = () => fastNow(clock) - clock.start
  const realTimeout = setTimeout
  globalThis.setTimeout = ((run: () => void, ms = 0, ...rest: unknown[]) =>
    realTimeout(run, ms < 1000 ? ms : ms / clock.factor, ...(rest as []))) as unknown as typeof setTimeout
}
