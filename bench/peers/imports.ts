import 'ky'
import 'p-limit'
import 'p-retry'
import 'zod/mini'
import type { Peer } from './peer.ts'

/** The four packages, imported and no more. */
export const create = (): Partial<Peer> => ({})
