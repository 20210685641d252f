import { mentionsSetState } from '../../../src/api/endpoints/mentions.ts'
import { microblogSearch } from '../../../src/api/endpoints/microblog.ts'
import { organizationUsage } from '../../../src/api/endpoints/organization.ts'
import type { Effect, Operation } from '../../../src/api/operation.ts'
import type { Evidence } from '../../../src/core/call/send.ts'
import { timedOut as timePassed } from '../../../src/core/call/cancellation.ts'
import { checkAnswer } from '../../../src/core/call/check.ts'
import { readAnswer } from '../../../src/core/call/read-answer.ts'
import { type Failed, newRecord } from '../../../src/core/call/call.ts'
import { serviceFormat } from '../../../src/core/http/answer.ts'
import { FetchMisuse } from '../../../src/core/http/network-error.ts'
import { Redactor } from '../../../src/lib/redactor.ts'

const operations: Readonly<Record<Effect, Operation>> = {
  read: organizationUsage,
  metered: microblogSearch,
  write: mentionsSetState,
}
export const effects = Object.keys(operations) as Effect[]

/** What is varied besides the evidence. */
interface Options {
  readonly retriesUnknown?: boolean
  readonly refreshable?: boolean
}

export type Happened = Partial<Evidence> & Pick<Evidence, 'kind'>

function callOf(operation: Operation, options: Options, failures: Failed[]) {
  const { retriesUnknown = false, refreshable = false } = options
  return {
    operation,
    client: { baseUrl: 'https://api.example/v1', bodyFormat: serviceFormat, credential: { refreshable } },
    settings: { retry: { retriesUnknown, maxAttempts: Infinity, maxWaitMs: 60_000 }, validation: 'strict' },
    timeoutMs: 30_000,
    cancellation: { sendBy: Infinity },
    record: { ...newRecord(new Redactor()), failures },
  } as never
}

function evidenceOf(happened: Happened): Evidence {
  const sent = '2026-11-27T00:00:00.000Z'
  const past = { queued: 0, paced: 0, sent, duration: 1, status: undefined, phase: 'headers', at: 0 }
  return { ...past, leftMs: Infinity, ...happened } as Evidence
}

/** What is thought of an attempt that failed, with its error. */
export function failureOf(happened: Happened, operation: Operation = microblogSearch): object {
  const call = callOf(operation, { refreshable: true }, [])
  const verdict = readAnswer(call, evidenceOf(happened)) as Failed
  return { ...verdict, error: verdict.toError({ operation: operation.id }) }
}

/** The verdicts of a call whose attempts all fail in the same way, up to ten. */
export async function verdictsOf(
  effect: Effect,
  happened: () => Happened,
  options: Options = {},
): Promise<Failed[]> {
  const failures: Failed[] = []
  const call = callOf(operations[effect], options, failures)
  while (failures.length < 10 && failures.at(-1)?.wait !== null) {
    const evidence = evidenceOf(happened())
    const verdict = readAnswer(call, evidence, () => 0.5)
    if (!verdict.ok) failures.push(verdict)
    else {
      const checked = await checkAnswer(call, verdict, new Redactor(), evidence.sent)
      if (!('toError' in checked)) throw new Error('the answer is usable')
      failures.push(checked)
    }
  }
  return failures
}

export const answered = (status: number, body: unknown, headers = {}, type = 'basic'): Happened => {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  // No `Response` can be made with some statuses.
  const response = { status, type, headers: new Headers(headers) } as Response
  return { kind: 'answered', response, text, complete: true, status, phase: 'body' }
}
export const own = (status: number, headers = {}) =>
  answered(status, { requestId: 'r', error: { code: 'x' } }, headers)
export const gateway = (status: number, headers = {}) => answered(status, '<h1>Bad gateway</h1>', headers)
const failed = (code: string): Happened => ({
  kind: 'broken',
  error: Object.assign(new Error(code), { code }),
})
const broken = (code: string) => () => failed(code)
const late = (): Happened => ({ kind: 'late' })
export const aborted = (): Happened => ({ kind: 'aborted', reason: new Error('mine') })
export const timedOut = (): Happened => ({
  kind: 'aborted',
  reason: timePassed('deadline', 100, 'headers'),
})
export const misused = (): Happened => ({ kind: 'misused', error: new FetchMisuse('no response') })
export const unreadable = (): Happened => answered(200, '{"requestId":"r_1"')
export const nobodys = (): Happened => answered(200, '<h1>Welcome</h1>')

const refusedTunnel = 'Proxy response (407) !== 200 when HTTP Tunneling'
export const unsent = ['ENOTFOUND', 'ECONNREFUSED', 'UND_ERR_CONNECT_TIMEOUT'].map(broken)
export const untrusted = ['CERT_HAS_EXPIRED', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', refusedTunnel].map(broken)
export const lost = [broken('ECONNRESET'), broken('UND_ERR_SOCKET'), late]
export const redirects = [301, 302, 303, 307, 308, 304].map((status) => () => gateway(status))
const inWords = 'refused stream before processing any application logic'
export const refusedStreams = ['NGHTTP2_REFUSED_STREAM', inWords].map(broken)
