import { createHash } from 'node:crypto'

/** What happened, line by line, with virtual times: the same for the same seed. */
export class Trace {
  readonly lines: string[] = []
  readonly failures: string[] = []

  add(what: string): void {
    this.lines.push(`${performance.now().toFixed(1).padStart(12)} ${what}`)
  }

  /** Notes that a promise is broken. */
  fail(what: string): void {
    this.failures.push(what)
    this.add(`✗ ${what}`)
  }

  digest(): string {
    return createHash('sha256').update(this.lines.join('\n')).digest('hex')
  }
}
