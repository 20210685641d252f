import { sleep } from '../../../bench/simulate/clock.ts'
import { type ApiCall, PaginationError, type PagedCall, SocialSearchError } from '../../../src/index.ts'
import { shows } from './checks.ts'
import { refreshFailed } from './draw.ts'
import { callOperation } from './operations.ts'
import { type CallRecord, type Trace, isWalk } from './world.ts'

const asJson = (item: unknown): string => JSON.stringify(item)

type Page = Record<string, unknown>
/** Without validation, a page need not be an object. */
type Walk = PagedCall<unknown, unknown>

/** Makes a call the way it was call, and checks how it ends. Never rejects. */
export async function makeCall(call: CallRecord, trace: Trace): Promise<void> {
  call.startedAt = performance.now()
  trace.add(`${call.id} starts: ${call.what}`)
  call.plan?.reach('start')
  let end = 'answered'
  try {
    await use(call, trace)
  } catch (reason) {
    call.isRejected = true
    end = judge(reason, call, trace)
  }
  call.settledAt = performance.now()
  trace.add(`${call.id} ${end}`)
  call.plan?.reach('settled')
}

async function use(call: CallRecord, trace: Trace): Promise<void> {
  const made = callOperation(call.client, call.operation, call.options)
  switch (call.mode) {
    case 'await':
      look(await made, call, trace)
      return
    case 'withResponse':
      return withResponse(made, call, trace)
    case 'pages':
      await pages(made as Walk, call, trace)
      return
    case 'items':
      return items(made as Walk, call)
    case 'toArray': {
      const limit = call.random.integer(1, 12)
      const found = await (made as Walk).toArray({ limit })
      call.delivered.push(...found.map(asJson))
      if (found.length === limit) call.isCutShort = true
      look(found, call, trace)
      return
    }
    case 'together':
      return together(made as Walk, call, trace)
    case 'resume':
      return resume(made as Walk, call, trace)
  }
}

async function withResponse(made: ApiCall<unknown>, call: CallRecord, trace: Trace): Promise<void> {
  const { data, response, requestId, attempts, credits } = await made.withResponse()
  call.credits = credits
  look(data, call, trace)
  look([requestId, attempts, [...response.headers], response.statusText], call, trace)
  look(await response.text(), call, trace)
}

async function pages(walk: Walk, call: CallRecord, trace: Trace, lastPage = Infinity): Promise<Page | null> {
  const { random } = call
  let latest: Page | null = null
  let count = 0
  for await (const page of walk.pages()) {
    call.part++
    latest = typeof page === 'object' ? (page as Page | null) : null
    const found = latest?.[call.operation.list ?? '']
    if (Array.isArray(found)) call.delivered.push(...found.map(asJson))
    look(page, call, trace)
    if (++count >= lastPage) break
    if (random.chance(0.1)) {
      call.isSlowReader = true
      await sleep(random.integer(1, 30_000))
    }
  }
  return latest
}

async function items(walk: Walk, call: CallRecord): Promise<void> {
  const { random } = call
  const most = random.chance(0.2) ? random.integer(1, 6) : Infinity
  let count = 0
  for await (const item of walk) {
    call.part++
    call.delivered.push(asJson(item))
    if (++count < most) continue
    call.isCutShort = true
    break
  }
}

/** Uses one call several times at once; its first page is sent once. */
async function together(walk: Walk, call: CallRecord, trace: Trace): Promise<void> {
  const iterator = walk.pages()
  const first = walk.then((page) => look(page, call, trace))
  const uses = [first, iterator.next(), iterator.next(), walk.withResponse()]
  const ends = await Promise.allSettled(uses)
  await iterator.return()
  const failed = ends.filter((end) => end.status === 'rejected')
  for (const { reason } of failed.slice(1)) judge(reason, call, trace)
  if (failed[0]) throw failed[0].reason
}

/** Walks in parts: stops, or fails, and continues from `next`. */
async function resume(walk: Walk, call: CallRecord, trace: Trace): Promise<void> {
  const { random } = call
  for (let parts = random.integer(1, 4), from: Walk = walk; ; parts--) {
    const lastPage = random.chance(0.4) ? random.integer(1, 2) : Infinity
    try {
      const latest = await pages(from, call, trace, lastPage)
      if (latest === null || latest['next'] === null || latest['next'] === undefined) return
      call.isCutShort = parts === 0
      if (parts === 0) return
      from = walk.resume(JSON.parse(JSON.stringify({ next: latest['next'] })) as { next: object })
    } catch (error) {
      if (!(error instanceof SocialSearchError) || !error.next || parts === 0) throw error
      trace.add(`${call.id} stops: ${judge(error, call, trace)}`)
      from = walk.resume(error)
    }
    call.part++
    call.isSlowReader = true
    if (random.chance(0.5)) await sleep(random.integer(1, 70_000))
  }
}

/** Looks for secrets in what a call has given. */
function look(value: unknown, call: CallRecord, trace: Trace): void {
  if (shows(value, call.owner.credential.secrets)) trace.fail(`${call.id} returned a secret`)
}

/** Checks what a call rejected with, and says it in a few words. */
function judge(reason: unknown, call: CallRecord, trace: Trace): string {
  const signal = call.plan?.controller.signal
  if (signal?.aborted && reason === signal.reason) return 'is aborted'
  if (reason === refreshFailed) return 'rejects with the error of its refresh'
  if (!(reason instanceof SocialSearchError)) {
    trace.fail(`${call.id} rejected with a foreign ${String(reason)}`, reason)
    return 'rejects'
  }
  const { name, charged, message, operation, attempts, body, next } = reason
  const fail = (what: string): void => trace.fail(`${call.id} rejected with a ${name} ${what}`)
  if (operation !== call.operation.id) fail(`of the operation ${operation}`)
  if (shows(reason, call.owner.credential.secrets)) fail('that shows a secret')
  const sent = attempts.filter((attempt) => attempt.sent !== null).length
  call.isPageInError = body !== undefined
  if (!(reason instanceof PaginationError)) {
    if (attempts.at(-1)?.charged === 'yes' && body === undefined) fail('without the body that was paid for')
    if (isWalk(call.mode) && !next) fail('without the params of the page that failed')
    call.error = { name, charged, sent, part: call.part }
  }
  return `rejects: ${name}, charged ${charged}, ${message.slice(0, 100)}`
}
