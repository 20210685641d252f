import { type ChildProcess, spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, it } from 'vitest'
import { slowService } from './service.ts'

const caller = fileURLToPath(new URL('caller.ts', import.meta.url))

interface Report {
  ends: string[]
  credits: { spent: number; uncertain: number; saved: number }
}

/** What processes that share a store must do. `newPlace` returns a new file, or the URL of an empty Redis. */
export function describeSharedStore(newPlace: () => Promise<string> | string): void {
  const ends: (() => void)[] = []
  afterEach(() => ends.splice(0).forEach((end) => end()))

  const start = (place: string, url: string): ChildProcess => {
    const child = spawn(process.execPath, [caller, place, url], { stdio: ['ignore', 'pipe', 'inherit'] })
    ends.push(() => child.kill('SIGKILL'))
    return child
  }
  const reportOf = async (child: ChildProcess) => JSON.parse(await text(child.stdout!)) as Report

  it('makes 100 equal calls of 4 processes one request', async () => {
    const service = await slowService(1500)
    ends.push(service.close)
    const place = await newPlace()
    const reports = await Promise.all([1, 2, 3, 4].map(() => reportOf(start(place, service.url))))
    expect(reports.flatMap((report) => report.ends)).toEqual(new Array(4).fill('posts: 1'))
    const sum = (part: 'spent' | 'saved') => reports.reduce((sum, { credits }) => sum + credits[part], 0)
    expect([service.requests(), sum('spent'), sum('saved')]).toEqual([1, 2, 198])
  })

  it('never resends the request of a process that dies', async () => {
    const service = await slowService(60_000)
    ends.push(service.close)
    const place = await newPlace()
    const leader = start(place, service.url)
    await expect.poll(service.requests).toBe(1)
    const others = [1, 2].map(() => reportOf(start(place, service.url)))
    await new Promise((resolve) => setTimeout(resolve, 1500))
    leader.kill('SIGKILL')
    for (const report of await Promise.all(others)) expect(report.ends).toEqual(['connection unknown'])
    expect(service.requests()).toBe(1)
  })
}
