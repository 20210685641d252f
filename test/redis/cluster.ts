import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { freePort, start } from './server.ts'

/** A cluster of three masters with one replica each. */
export interface RedisCluster {
  readonly ports: readonly number[]
  /** Cuts the replica of a key's master off from what is written from then on. */
  cutOff(key: string): Promise<Redis>
  kill(): Promise<void>
}

interface Node {
  readonly port: number
  readonly busPort: number
  readonly child: ChildProcess
  readonly admin: Redis
}

const slots = 16_384
const pollMs = 50

/** Starts the servers on 127.0.0.1 and makes a cluster of them; throws if it is not ready within 30 s. */
export async function startCluster(): Promise<RedisCluster> {
  const folder = await mkdtemp(join(tmpdir(), 'redis-cluster-'))
  const nodes: Node[] = []
  const kill = async (): Promise<void> => {
    for (const { admin, child } of nodes) {
      admin.disconnect()
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    }
    await rm(folder, { recursive: true })
  }
  const [masters, replicas]: [Node[], Node[]] = [[], []]
  try {
    for (let i = 0; i < 6; i++) {
      const node = await startNode(folder, i)
      nodes.push(node)
      ;(i < 3 ? masters : replicas).push(node)
    }
    const third = Math.ceil(slots / 3)
    for (const [i, { admin }] of masters.entries()) {
      await admin.call('CLUSTER', 'ADDSLOTSRANGE', i * third, Math.min(slots, (i + 1) * third) - 1)
      await admin.call('CLUSTER', 'SET-CONFIG-EPOCH', i + 1)
    }
    for (const { port, busPort } of nodes)
      await nodes[0]!.admin.call('CLUSTER', 'MEET', '127.0.0.1', port, busPort)
    for (const [i, { admin }] of replicas.entries()) {
      const id = await masters[i]!.admin.call('CLUSTER', 'MYID')
      await until(() => admin.call('CLUSTER', 'REPLICATE', String(id)).then(() => true))
    }
    for (const { admin } of nodes) await until(() => says(/cluster_state:ok/, admin.call('CLUSTER', 'INFO')))
    for (const { admin } of replicas)
      await until(() => says(/master_link_status:up/, admin.info('replication')))
  } catch (error) {
    await kill()
    throw error
  }
  return {
    ports: nodes.map(({ port }) => port),
    async cutOff(key) {
      const slot = Number(await masters[0]!.admin.call('CLUSTER', 'KEYSLOT', key))
      const { admin } = replicas[Math.floor(slot / Math.ceil(slots / 3))]!
      await admin.config('SET', 'masteruser', 'nobody')
      await admin.config('SET', 'masterauth', 'wrong')
      await admin.call('CLIENT', 'KILL', 'TYPE', 'master')
      await until(() => says(/master_link_status:down/, admin.info('replication')))
      return admin
    },
    kill,
  }
}

async function startNode(folder: string, index: number): Promise<Node> {
  const [port, busPort] = [await freePort(), await freePort()]
  const options = ['--cluster-enabled', 'yes', '--cluster-port', String(busPort)]
  options.push('--cluster-node-timeout', '3000', '--repl-diskless-sync-delay', '0')
  const child = await start(port, folder, [...options, '--cluster-config-file', `node-${index}.conf`])
  const admin = new Redis(port, '127.0.0.1')
  admin.on('error', () => {})
  return { port, busPort, child, admin }
}

const says = async (pattern: RegExp, reply: Promise<unknown>) => pattern.test(String(await reply))

async function until(isReady: () => Promise<boolean>): Promise<void> {
  for (let left = 30_000 / pollMs; ; left--) {
    const isDone = await isReady().catch((error: unknown) => {
      if (left <= 0) throw error
      return false
    })
    if (isDone) return
    if (left <= 0) throw new Error('the cluster is not ready')
    await new Promise((resolve) => setTimeout(resolve, pollMs))
  }
}
