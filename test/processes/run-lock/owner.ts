import { appendFileSync, writeFileSync } from 'node:fs'
import { UsageError } from '../../../src/cli/command-errors.ts'
import { RunLock } from '../../../src/cli/run-lock.ts'

/** Takes and releases the lock of a file until it is killed, and logs it: `+pid`, `-pid`. */
const [path = '', log = ''] = process.argv.slice(2)
const clock = new Int32Array(new SharedArrayBuffer(4))

for (;;) {
  try {
    const lock = await RunLock.take(path)
    appendFileSync(log, `+${process.pid}\n`)
    writeFileSync(path, String(process.pid))
    appendFileSync(log, `-${process.pid}\n`)
    lock.release()
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
  }
  Atomics.wait(clock, 0, 0, Math.random() * 3)
}
