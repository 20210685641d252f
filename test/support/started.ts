import type { ChildProcess } from 'node:child_process'

/** A process whose output is read to its end: closing the pipe after the first lines would end the process. */
export class Started {
  /** What it has printed so far. */
  output = ''
  readonly #streams
  readonly #closed: Promise<unknown>

  constructor(child: ChildProcess) {
    this.#streams = [child.stdout, child.stderr].filter((stream) => stream !== null)
    for (const stream of this.#streams)
      stream.setEncoding('utf8').on('data', (text: string) => (this.output += text))
    this.#closed = new Promise((resolve) => child.once('close', resolve))
  }

  /** Waits for text that fits, however it is cut into chunks; fails if the process ends without it. */
  printed(pattern: RegExp): Promise<string> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
        const [found] = pattern.exec(this.output) ?? []
        if (found !== undefined) resolve(found)
      }
      for (const stream of this.#streams) stream.on('data', look)
      look()
      void this.#closed.then(() => reject(new Error(`it has not printed ${pattern}, but:\n${this.output}`)))
    })
  }
}
