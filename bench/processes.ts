import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { childProgram, pageFile } from './build.ts'

const running = new Set<ChildProcess>()
process.once('exit', () => running.forEach((child) => child.kill()))

/** Runs a program of `child/` in a new process without other modules. */
export class Child {
  readonly #process: ChildProcess
  readonly #failure: Promise<never>

  constructor(program: string, args: readonly string[], execArgv: readonly string[] = []) {
    this.#process = fork(childProgram(program), [...args], {
      execArgv: [...execArgv],
      env: { ...process.env, PAGE: pageFile },
    })
    running.add(this.#process)
    this.#failure = once(this.#process, 'exit').then(([code]) => {
      running.delete(this.#process)
      throw new Error(`a measuring process ended with ${String(code)}: ${this.#process.spawnargs.join(' ')}`)
    })
    this.#failure.catch(() => {})
  }

  /** The next message. */
  answer<T = unknown>(): Promise<T> {
    const message = new Promise<T>((resolve) => this.#process.once('message', (sent) => resolve(sent as T)))
    return Promise.race([message, this.#failure])
  }

  ask<T>(message: object): Promise<T> {
    const answer = this.answer<T>()
    this.#process.send(message)
    return answer
  }

  /** Ends the process and waits for its end, so that it takes no time from the next. */
  async end(): Promise<void> {
    if (this.#process.exitCode !== null) return
    this.#process.kill()
    await once(this.#process, 'exit')
  }
}

/** Runs a program that measures once, and returns its result. */
export async function measureIn<T>(
  program: string,
  args: readonly string[],
  execArgv?: string[],
): Promise<T> {
  const child = new Child(program, args, execArgv)
  const answer = await child.answer<T>()
  await child.end()
  return answer
}
