import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, globSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../redis/server.ts'

/** A Postgres of one's own, in a temporary folder. */
export interface PostgresServer {
  readonly url: string
  /** Runs SQL as an administrator. */
  run(sql: string): void
  /** Ends it as a power cut would. */
  kill(): Promise<void>
  /** Starts it again at the same port. */
  restart(): Promise<void>
  /** Ends it, and removes its data. */
  remove(): Promise<void>
}

/** Starts a Postgres server, which refuses to run as root. */
export async function startPostgres(): Promise<PostgresServer> {
  const [folder] = globSync('/usr/lib/postgresql/*/bin').sort().reverse()
  if (folder === undefined)
    throw new Error('postgresql is not installed: apt-get install postgresql, or what your system has')
  const isRoot = process.getuid?.() === 0
  const idOf = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  const user = isRoot ? { uid: idOf('-u'), gid: idOf('-g') } : {}
  const data = mkdtempSync(join(tmpdir(), 'postgres-'))
  if (isRoot) chownSync(data, idOf('-u'), idOf('-g'))
  const options = { ...user, cwd: tmpdir(), stdio: 'ignore' as const, env: { LC_ALL: 'C' } }
  execFileSync(join(folder, 'initdb'), ['-D', data, '-U', 'postgres', '-A', 'trust', '--no-sync'], options)
  const port = await freePort()
  const psql = ['-h', '127.0.0.1', '-p', String(port), '-U', 'postgres', '-q', '-c']
  const run = (sql: string): void => void execFileSync(join(folder, 'psql'), [...psql, sql], options)
  let child: ChildProcess
  const start = async (): Promise<void> => {
    const settings = ['-h', '127.0.0.1', '-p', String(port), '-k', data, '-c', 'max_connections=200']
    child = spawn(join(folder, 'postgres'), ['-D', data, ...settings], { ...options, detached: true })
    for (let tries = 0; tries < 200; tries++) {
      await new Promise((resolve) => setTimeout(resolve, 100))
      try {
        run('select 1')
        return
      } catch {
        // It is not ready yet.
      }
    }
    throw new Error('postgres did not start')
  }
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill(signal)
    await ended
  }
  await start()
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    run,
    // SIGQUIT ends its other processes, too; it then recovers as after a power cut.
    kill: () => end('SIGQUIT'),
    restart: start,
    async remove() {
      await end('SIGQUIT')
      rmSync(data, { recursive: true, force: true })
    },
  }
}
