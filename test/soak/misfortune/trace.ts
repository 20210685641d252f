import { createHash } from 'node:crypto'

/** What happened, line by line, with virtual times: the same for the same seed. */
export class Trace {
  readonly lines: string[] = []
  readonly failures: string[] = []

  #hasEnded = false

  add(what: string): void {
    const time = this.#hasEnded ? 'at the end' : performance.now().toFixed(1)
    this.lines.push(`${time.padStart(12)} ${what}`)
  }

  /** Virtual time is over: what follows has no time that would be the same in each run. */
  end(): void {
    this.#hasEnded = true
  }

  /**
   * Notes that a promise is broken.
   *
   * @param error Its stack is shown, but is no part of the trace: it depends on what called the run.
   */
  fail(what: string, error?: unknown): void {
    this.failures.push(error instanceof Error ? `${what}\n${error.stack}` : what)
    this.add(`✗ ${what}`)
  }

  digest(): string {
    return createHash('sha256').update(this.lines.join('\n')).digest('hex')
  }
}
