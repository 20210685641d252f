import type { Fault } from './case.ts'
import { concurrency } from './concurrency.ts'
import { http } from './http.ts'
import { money } from './money.ts'
import { network } from './network.ts'
import { paging } from './paging.ts'
import { payload } from './payload.ts'
import { protocol } from './protocol.ts'
import { retryAfter } from './retry-after.ts'
import { shape } from './shape.ts'
import { time } from './time.ts'

/** All faults, by number. */
export const catalogue: readonly Fault[] = [
  ...network,
  ...protocol,
  ...http,
  ...retryAfter,
  ...payload,
  ...shape,
  ...time,
  ...concurrency,
  ...paging,
  ...money,
]
