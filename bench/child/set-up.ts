import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import type { CreatePeer } from '../peers/peer.ts'

export const apiKey = 'bench_0123456789abcdef0123456789abcdef'
/** A port without a server. */
export const nowhere = 'http://127.0.0.1:9/v1'

export async function load(program: string | undefined): Promise<CreatePeer> {
  const url = pathToFileURL(program ?? '').href
  return ((await import(url)) as { create: CreatePeer }).create
}

export function readPage(): string {
  return readFileSync(process.env['PAGE'] ?? '', 'utf8')
}

export function tell(message: object | number): void {
  process.send?.(message)
}

/** Duration in milliseconds: wall clock, and processor time of this process. */
export interface Duration {
  wall: number
  cpu: number
}

export function stopwatch(): () => Duration {
  const wall = performance.now()
  const cpu = process.cpuUsage()
  return () => {
    const { user, system } = process.cpuUsage(cpu)
    return { wall: performance.now() - wall, cpu: (user + system) / 1000 }
  }
}
