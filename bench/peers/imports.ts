import 'ky'
import 'p-limit'
import 'p-retry'
import 'zod/mini'
import type { Peer } from './peer.ts'

/** Only imports the four packages. */
export const create = (): Partial<Peer> => ({})
