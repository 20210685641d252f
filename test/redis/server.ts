import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { portOf } from '../support/listening.ts'

/** A Redis of one's own. */
export interface RedisServer {
  readonly url: string
  readonly port: number
  /** Ends it as a power cut would; everything it held is gone. */
  kill(): Promise<void>
  /** Keeps it from doing anything, its connections open, until it is resumed. */
  suspend(): Promise<void>
  resume(): Promise<void>
  /** Starts it again at the same port. */
  restart(): Promise<void>
}

/** Starts a Redis that keeps nothing on disk. */
export async function startRedis(): Promise<RedisServer> {
  const port = await freePort()
  let child = await start(port)
  const signal = (name: NodeJS.Signals): Promise<void> => {
    child.kill(name)
    return Promise.resolve()
  }
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    },
    suspend: () => signal('SIGSTOP'),
    resume: () => signal('SIGCONT'),
    restart: async () => void (child = await start(port)),
  }
}

/** Starts a redis-server on a port, and waits until it is ready. */
export async function start(
  port: number,
  folder = tmpdir(),
  options: readonly string[] = [],
): Promise<ChildProcess> {
  const common = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no']
  const child = spawn('redis-server', [...common, '--dir', folder, ...options], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await new Promise<void>((resolve, reject) => {
    let output = ''
    const missing = 'redis-server is not installed: apt-get install redis-server, or what your system has'
    child.once('error', () => reject(new Error(missing)))
    child.once('exit', (code) => reject(new Error(`redis-server ended with ${String(code)}\n${output}`)))
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString()
      if (output.includes('Ready to accept connections')) resolve()
    })
  })
  return child
}

export async function freePort(): Promise<number> {
  const server = createServer()
  const port = await portOf(server)
  await once(server.close(), 'close')
  return port
}
