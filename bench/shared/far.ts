import { once } from 'node:events'
import { type AddressInfo, type Socket, connect, createServer } from 'node:net'

/** Makes a port of a server that is `roundTripMs` away. It is open as long as this process. */
export async function farPort(port: number, roundTripMs: number): Promise<number> {
  const relay = createServer((near) => {
    const far = connect(port, '127.0.0.1')
    passOn(near, far, roundTripMs / 2)
    passOn(far, near, roundTripMs / 2)
  }).listen(0, '127.0.0.1')
  relay.unref()
  await once(relay, 'listening')
  return (relay.address() as AddressInfo).port
}

function passOn(from: Socket, to: Socket, ms: number): void {
  from.setNoDelay(true)
  // Timers of the same length end in their order.
  from.on('data', (data) => setTimeout(() => to.write(data), ms))
  from.on('close', () => setTimeout(() => to.destroy(), ms))
  from.on('error', () => {})
}
