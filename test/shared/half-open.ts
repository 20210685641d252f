import { once } from 'node:events'
import { type AddressInfo, type Socket, connect, createServer } from 'node:net'
import { expect } from 'vitest'
import type { SharedStore } from '../../src/extensions/shared/index.ts'

/**
 * A store whose connections fall silent without being closed must go on by new ones.
 *
 * @param open Connects through a proxy at a port, with a timeout.
 */
export async function outlastsSilence(
  serverPort: number,
  open: (port: number) => Promise<SharedStore> | SharedStore,
): Promise<void> {
  const sockets: Socket[] = []
  const proxy = createServer((near) => {
    const far = connect(serverPort, '127.0.0.1')
    near.pipe(far).pipe(near)
    for (const socket of [near, far]) sockets.push(socket.on('error', () => {}))
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const store = await open((proxy.address() as AddressInfo).port)
  await store.update('silent', () => ({ value: 'before', result: 0 }))
  for (const socket of sockets) socket.unpipe().pause()
  const read = () => store.update('silent', (value) => ({ result: value })).catch(String)
  await expect.poll(read, { interval: 200 }).toBe('before')
  for (const socket of sockets) socket.destroy()
  proxy.close()
}
