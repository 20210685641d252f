import type { Server } from 'node:http'
import type { AddressInfo, Server as AnyServer } from 'node:net'

/** Starts a server on a free port of this machine, and returns the port. */
export async function portOf(server: AnyServer): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

/** The same, for the origin. */
export const listening = async (server: Server): Promise<string> => `http://127.0.0.1:${await portOf(server)}`

/** Ends a server and its connections. */
export async function closed(server: Server): Promise<void> {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
}
