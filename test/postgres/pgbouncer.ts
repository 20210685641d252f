import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../redis/server.ts'

/** Starts a pgbouncer that gives a connection of a server to each transaction. */
export async function startPgbouncer(url: string): Promise<{ url: string; end(): Promise<void> }> {
  const port = await freePort()
  const folder = mkdtempSync(join(tmpdir(), 'pgbouncer-'))
  chmodSync(folder, 0o755)
  const settings = {
    ...{ listen_addr: '127.0.0.1', listen_port: port, unix_socket_dir: '' },
    ...{ auth_type: 'any', pool_mode: 'transaction' },
  }
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`)
  const database = `* = host=127.0.0.1 port=${new URL(url).port} user=postgres`
  writeFileSync(join(folder, 'ini'), ['[databases]', database, '[pgbouncer]', ...lines, ''].join('\n'))
  // It refuses to run as root.
  const user = process.getuid?.() === 0 ? ['-u', 'postgres'] : []
  const child = spawn('pgbouncer', [...user, join(folder, 'ini')], { stdio: 'ignore' })
  const failed = once(child, 'exit').then(() => {
    throw new Error('pgbouncer did not start: apt-get install pgbouncer, or what your system has')
  })
  const isReady = (): Promise<boolean> =>
    new Promise((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false))
      socket.on('connect', () => socket.destroy())
    })
  const ready = async (): Promise<void> => {
    while (!(await isReady())) await new Promise((resolve) => setTimeout(resolve, 50))
  }
  await Promise.race([ready(), failed])
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    async end() {
      child.kill('SIGKILL')
      await failed.catch(() => {})
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
