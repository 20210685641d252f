import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, watch } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { buildCommand } from '../command.ts'
import { type ServiceName, type TokenService, loginOf, tokenService, tokensIn } from './service.ts'

/** How many commands run at once. */
const together = 5

/** How long a process is stopped: longer than its lock counts as held. */
const stopMs = 23_000

export interface KillsResult {
  readonly problems: readonly string[]
  readonly counts: Readonly<Record<string, number>>
}

/**
 * Logs in to two services in turn, with one config folder, while other commands refresh tokens, watch and log out. Kills
 * the processes at any moment, and when files change the one that holds the lock. Stops some of those for longer than
 * their lock lasts.
 */
export async function runKills(kills: number, stops: number): Promise<KillsResult> {
  const command = await buildCommand()
  const config = mkdtempSync(join(tmpdir(), 'two-services-'))
  const folder = join(config, 'social-search')
  mkdirSync(folder, { mode: 0o700 })
  const services = [await tokenService('alpha'), await tokenService('beta')] as const
  const problems: string[] = []
  const counts: Record<string, number> = { killed: 0, killedInLock: 0, stopped: 0 }
  const running = new Map<number, ChildProcess>()
  let isOver = false

  const count = (name: string) => (counts[name] = (counts[name] ?? 0) + 1)
  const any = <T>(list: readonly T[]): T | undefined => list[Math.floor(Math.random() * list.length)]

  const watcher = watch(folder, () => {
    inspectFiles()
    if (isOver) return
    const owner = ownerOfLock()
    if (owner === undefined) return
    if ((counts['stopped'] ?? 0) < stops && Math.random() < 0.02) void stop(owner)
    else if (Math.random() < 0.06 && kill(owner)) count('killedInLock')
  })
  try {
    // A bound on the time, in case that nothing moves any more.
    const end = Date.now() + kills * 3000 + stops * stopMs + 60_000
    const hasTriedEnough = () =>
      (counts['killed'] ?? 0) >= kills &&
      (counts['killedInLock'] ?? 0) > 0 &&
      services.every((service) => service.counts.refreshed > 0)
    while (!hasTriedEnough() && Date.now() < end) {
      while (running.size < together) start()
      await sleep(100)
      if (Math.random() < 0.12) kill(any([...running.values()]))
    }
    isOver = true
    for (let turn = 0; turn < 100 && running.size > 0; turn++) {
      for (const child of running.values()) child.kill('SIGKILL')
      await sleep(50)
    }
    await checkEnd()
    for (const { name, counts: own, problems: found } of services) {
      problems.push(...found)
      for (const [key, value] of Object.entries(own)) counts[`${name} ${key}`] = value
    }
    return { problems, counts }
  } finally {
    watcher.close()
    for (const child of running.values()) child.kill('SIGKILL')
    await Promise.all(services.map((service) => service.close()))
    for (const path of [config, command.folder]) rmSync(path, { recursive: true, force: true })
  }

  function start(): void {
    const service = any(services) as TokenService
    const line = any([
      ...Array<string>(6).fill(loginOf(service)),
      'logout',
      ...Array<string>(4).fill('organization usage'),
      ...Array<string>(6).fill('watch coffee --yes --every 1 --per-minute off'),
    ]) as string
    void run(line)
  }

  async function run(line: string): Promise<number | null> {
    const args = line.split(' ')
    const child = spawn(process.execPath, [command.file, ...args], {
      cwd: command.folder,
      // The cache lets a process start in half the time.
      env: {
        ...{ PATH: process.env['PATH'], NODE_COMPILE_CACHE: command.folder },
        ...{ XDG_CONFIG_HOME: config, XDG_CACHE_HOME: config },
      },
    })
    const { pid = 0 } = child
    running.set(pid, child)
    let output = ''
    child.stdout.on('data', (data: Buffer) => (output += String(data)))
    child.stderr.on('data', (data: Buffer) => {
      const before = output.length
      output += String(data)
      const [, url] = /^(http\S+authorize\S+)\n/m.exec(output.slice(Math.max(0, before - 2000))) ?? []
      // The browser of a process that was killed finds nobody there.
      if (url !== undefined && args[0] === 'login') void fetch(url).catch(() => {})
    })
    const code = await new Promise<number | null>((resolve) => child.on('close', resolve))
    running.delete(pid)
    if (tokensIn(output).size > 0) problems.push(`${args[0]} printed a token`)
    count(code === null ? `${args[0]} killed` : `${args[0]} exit ${code}`)
    if (output.includes('the token store holds tokens of')) count('refused tokens of the other service')
    return code
  }

  function kill(child: ChildProcess | undefined): boolean {
    if (child?.kill('SIGKILL') !== true) return false
    count('killed')
    return true
  }

  async function stop(child: ChildProcess): Promise<void> {
    count('stopped')
    running.delete(child.pid ?? 0)
    child.kill('SIGSTOP')
    await sleep(stopMs)
    child.kill('SIGCONT')
    if (child.exitCode === null && child.signalCode === null) running.set(child.pid ?? 0, child)
  }

  function ownerOfLock(): ChildProcess | undefined {
    return running.get(parseInt(namesIn('tokens.json.lock')[0] ?? '0'))
  }

  function namesIn(name: string): string[] {
    try {
      return readdirSync(join(folder, name))
    } catch {
      return []
    }
  }

  function textOf(name: string): string {
    try {
      return readFileSync(join(folder, name), 'utf8')
    } catch {
      return ''
    }
  }

  /** Each file holds the tokens of one service, and only where they belong. */
  function inspectFiles(): void {
    const names = readdirSync(folder)
    for (const name of [
      ...names,
      ...names.flatMap((name) => namesIn(name).map((file) => join(name, file))),
    ]) {
      const text = textOf(name)
      const found = tokensIn(text)
      if (found.size === 0) continue
      const bound = /"boundTo":\{"issuer":"([^"]*)\/"/.exec(text)?.[1]
      const owners = services.filter(({ origin }) => origin === bound).map((service) => service.name)
      if (!/^tokens\.json(\.lock\/[\w-]+\.tmp)?$/.test(name)) problems.push(`tokens are in ${name}`)
      // A temporary file may be cut off before the binding.
      else if (found.size > 1 || (bound !== undefined && !found.has(owners[0] as ServiceName)))
        problems.push(`tokens of ${[...found].join(' and ')} are in ${name}, bound to ${owners[0]}`)
    }
  }

  /** A logout leaves nothing, and a login works at once. */
  async function checkEnd(): Promise<void> {
    const begin = performance.now()
    await run('logout')
    const left = readdirSync(folder)
    if (left.length > 0) problems.push(`logout has left ${left.join(', ')}`)
    const codes = [await run(loginOf(services[0])), await run('organization usage')]
    if (codes.some((code) => code !== 0))
      problems.push(`the last login and call ended with ${codes.join(', ')}`)
    const seconds = (performance.now() - begin) / 1000
    if (seconds > 15) problems.push(`a dead process has stalled others for ${Math.round(seconds)} s`)
  }
}
