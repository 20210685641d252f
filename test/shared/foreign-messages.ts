import { SharedLimiter, type SharedStore } from '../../src/extensions/shared/index.ts'
import { equal, listen, until } from './store-promises.ts'
import { queueRequest } from '../support/limiter.ts'

/** What other programs may send where the processes of a limiter listen. */
const foreign = [
  ...['', ' ', 'garbage', '{', 'null', '0', '"text"', '[]', '{}', '[1,2,3,4,5]', '["other",0,[],0]'],
  ...['[["other"],0,[],0,[]]', '["other",0,{"a":1},0,[]]', '["other",0,[],0,[["a",-1]]]'],
  ...['["other",0,[],0,[["a",1e300]]]', '["other",0,[],0,[[1,60000]]]', '["other",0,[null],{},[null]]'],
  ...[
    '{"from":"other","wakeUps":[null]}',
    '{"from":"other","wakeUps":[["*",-1]]}',
    '{"from":"other","wakeUps":{}}',
  ],
  ...['{"from":"other","wakeUps":[["*",1e300]]}', '{"__proto__":{"from":"other"}}', '\u0000\ud800'],
]

/**
 * A limiter waits for a slot of another one while somebody sends such texts. It must go on waiting, and then get the slot.
 *
 * @param send Sends a text to the listeners of a key.
 * @param hugeLength The length of the longest text.
 */
export async function meetForeignMessages(
  [first, second]: readonly [SharedStore, SharedStore],
  send: (key: string, text: string) => unknown,
  hugeLength: number,
): Promise<void> {
  let key = ''
  const limits = { inFlight: 1, perMinute: 100 }
  const spied: SharedStore = {
    ...first,
    update: (at, change) => {
      key = at
      return first.update(at, change)
    },
  }
  const request = queueRequest()
  const organization = `foreign ${crypto.randomUUID()}`
  const limiters = [spied, second].map((store) => new SharedLimiter({ store, organization, limits }))
  const lease = await limiters[0]!.acquire({ ...request })
  let isGranted = false
  const waiting = limiters[1]!.acquire({ ...request }).finally(() => (isGranted = true))
  const { arrived, end } = await listen(second, first, key)
  const texts = [...foreign, 'x'.repeat(hugeLength), `["${'x'.repeat(hugeLength - 20)}",0,[],0,[]]`]
  for (const text of texts) await send(key, text)
  await until(() => arrived.includes(texts.at(-1)!), 'the last text arrived')
  equal(isGranted, false)
  lease.end()
  ;(await waiting).end()
  end()
  await Promise.all(limiters.map((limiter) => limiter.close()))
}
