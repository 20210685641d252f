import type { AnyCallOptions } from '../../../src/core/options/options.ts'
import { type Random, createRandom } from '../../../src/extensions/sandbox/random.ts'
import { drawOptions, said } from './draw-client.ts'
import { type Moment, callHeader } from './network.ts'
import { type SoakOperation, soakOperations } from './operations.ts'
import type { CallRecord, ClientRecord, Mode, World } from './records.ts'

/** A call that is ready to be made. */
export interface DrawnCall {
  readonly call: CallRecord
  readonly client: ClientRecord['variants'][number]['client']
  readonly options: AnyCallOptions
  readonly plan: AbortPlan | null
  /** When it is made, in milliseconds from the start. */
  readonly startsAt: number
  /** Decides what the reader of a walk does. */
  readonly random: Random
  /** In a line of the trace. */
  readonly what: string
}

const modes: readonly Mode[] = [
  'await',
  'withResponse',
  'pages',
  'items',
  'toArray',
  'together',
  'resume',
  'resume',
]

/** What costs credits most often, what changes data, or anything. */
function drawGroup(random: Random): readonly SoakOperation[] {
  const share = random.next()
  if (share < 0.4) return soakOperations.slice(0, 3)
  return share < 0.5 ? soakOperations.filter(({ method }) => method === 'PATCH') : soakOperations
}

export function drawCall(
  id: string,
  clients: readonly ClientRecord[],
  spreadMs: number,
  { seed, budgets, crowd }: World,
): DrawnCall {
  const random = createRandom(`${seed}/${id}`)
  const owner = random.pick(clients)
  const variant = random.pick(owner.variants)
  const documented = crowd ?? random.pick(drawGroup(random))
  const operation = { ...documented, price: owner.prices[documented.id] ?? documented.price }
  const mode = operation.paging === undefined ? random.pick(modes.slice(0, 2)) : random.pick(modes)
  const drawn = drawOptions(random, budgets, variant.settings)
  const plan = drawAbortPlan(random)
  const walks: AnyCallOptions = {
    ...(random.chance(0.15) && { limit: random.integer(1, 8) }),
    ...(random.chance(0.15) && { maxPages: random.integer(1, 4) }),
  }
  const extras: AnyCallOptions = {
    ...(random.chance(0.1) && { priority: random.integer(-1, 3) }),
    ...(operation.paging !== undefined && mode !== 'await' && mode !== 'withResponse' && walks),
    ...(plan !== null && {
      signal: plan.controller.signal,
      observers: [{ onWait: () => plan.onWait(call) }],
    }),
  }
  const call: CallRecord = {
    ...{ id, operation, owner, mode, settings: drawn.settings, pages: random.integer(1, 5) },
    ...{ requests: [], part: 0, delivered: [], error: null, credits: null },
    ...{ startedAt: 0, settledAt: null, abortedAt: null },
    ...{ isCutShort: Object.keys(walks).length > 0, isSlowReader: false },
    ...{ isRejected: false, isPageInError: false },
  }
  owner.calls.push(call)
  const aborted = plan === null ? '' : `, aborted: ${plan.what}`
  return {
    ...{ call, client: variant.client, plan, startsAt: random.integer(0, spreadMs), random },
    options: { ...drawn.options, ...extras, headers: { [callHeader]: id } },
    what: `${operation.id} by ${owner.name}, ${mode}, ${JSON.stringify(walks)}, ${said(drawn.options)}${aborted}`,
  }
}

/** When and why the caller aborts a call. */
interface AbortPlan {
  readonly controller: AbortController
  readonly what: string
  /** To be called when the call has been made. */
  start(call: CallRecord): void
  onMoment(call: CallRecord, moment: Moment): void
  onWait(call: CallRecord): void
  abort(call: CallRecord): void
  onSettled(call: CallRecord): void
}

const moments: readonly Moment[] = ['sent', 'arrived', 'headers', 'body', 'end']

/** Draws whether and when a call is aborted. Reasons may be anything. */
function drawAbortPlan(random: Random): AbortPlan | null {
  if (!random.chance(0.3)) return null
  const controller = new AbortController()
  const reason = random.pick<unknown>([undefined, new Error('left'), 'left', 0, null, { code: 'left' }])
  const when = random.pick(['before', 'soon', 'later', 'later', 'moment', 'moment', 'turn', 'wait', 'after'])
  const moment = random.pick(moments)
  const ms = when === 'later' ? random.integer(0, 90_000) : random.integer(0, 1500)
  const turns = random.integer(0, 40)
  let passed = random.integer(0, 2)
  const abort = (call: CallRecord): void => {
    if (controller.signal.aborted) return
    call.abortedAt = performance.now()
    controller.abort(reason)
  }
  const start = async (call: CallRecord): Promise<void> => {
    if (when === 'before') abort(call)
    if (when === 'soon' || when === 'later') setTimeout(() => abort(call), ms)
    if (when !== 'turn') return
    for (let turn = 0; turn < turns; turn++) await Promise.resolve()
    abort(call)
  }
  return {
    controller,
    abort,
    what:
      when === 'moment' ? `${when} ${moment}` : when === 'soon' || when === 'later' ? `after ${ms} ms` : when,
    start: (call) => void start(call),
    onMoment: (call, at) => {
      if (when === 'moment' && at === moment && passed-- === 0) abort(call)
    },
    onWait: (call) => {
      if (when === 'wait') abort(call)
    },
    onSettled: (call) => {
      if (when === 'after') abort(call)
    },
  }
}
