import { describe, expect, it } from 'vitest'
import { finish } from '../support/limiter.ts'
import { realTime } from '../support/real-time.ts'
import { admin, evalCalls, newOrganization, worker } from './workers.ts'

const { pass } = realTime

async function bytesOut(): Promise<number> {
  const stats = await admin.info('stats')
  return Number(/total_net_output_bytes:(\d+)/.exec(stats)?.[1])
}

/** Commands to Redis and bytes from it for each of some calls, which take turns for two slots. */
async function traffic(processes: number, calls: number) {
  const limits = { inFlight: 2, perMinute: 10_000 }
  const org = newOrganization()
  const workers = await Promise.all(
    Array.from({ length: processes }, () => worker(org, { limits, lease: 15_000, storeTimeout: 5000 })),
  )
  let left = processes
  const loop = async ({ ask }: (typeof workers)[number]): Promise<void> => {
    while (left-- > 0) {
      const lease = await ask()
      await pass(20)
      finish(lease)
    }
  }
  // Each has connected, and knows the time.
  await Promise.all(workers.map(loop))
  left = calls
  const before = { commands: await evalCalls(), bytes: await bytesOut(), at: performance.now() }
  await Promise.all(workers.flatMap((each) => [loop(each), loop(each)]))
  return {
    commands: ((await evalCalls()) - before.commands) / calls,
    bytes: ((await bytesOut()) - before.bytes) / calls,
    callMs: (performance.now() - before.at) / calls,
  }
}

// Calls take as long as the machine needs for fifty processes in one.
describe('SharedLimiter on Redis', { timeout: 180_000 }, () => {
  it('sends at most 6 commands for a call of three processes', async () => {
    const { commands, bytes, callMs } = await traffic(3, 300)
    console.log({ commands, bytes, callMs })
    expect(commands).toBeLessThanOrEqual(6)
  })

  it('sends at most 20 commands for a call, and reads at most 50 kB, while fifty processes wait', async () => {
    const { commands, bytes, callMs } = await traffic(50, 250)
    console.log({ commands, bytes, callMs })
    expect(commands).toBeLessThanOrEqual(20)
    expect(bytes).toBeLessThanOrEqual(50_000)
  })
})
