import { CreditBudget, type Wait } from '../../index.ts'
import { isCreditBudget, nextStep, untold } from '../../extend.ts'
import { assumedItems, boundOf } from '../../api/price.ts'
import type { Operation } from '../../api/operation.ts'
import { canonicalJson } from '../../lib/json.ts'
import { itemsOf } from '../../api/list-items.ts'
import { count } from '../../lib/count.ts'
import {
  CreditBudgetError,
  InvalidResponseError,
  hadNoEffect,
  isSocialSearchError,
} from '../../errors/index.ts'
import { budgetTooLow, notSent } from '../../errors/words.ts'
import type { OperationId } from '../../api/operations.ts'
import { runUserCallback } from '../../lib/thrown.ts'
import { compact } from './compact.ts'
import { ToolRefusal } from './failures.ts'
import { itemOf } from './list-result.ts'
import type { PageContent, KeptPage, KeptPages } from './kept-pages.ts'
import { searchArchive } from './archive.ts'
import type { SessionSettings, ToolCall } from './tool-call.ts'

/**
 * Has the cost of a call's pages, from this one on, approved: by the budget, and by a person if it is high. The result is a budget that holds
 * them to that cost; null if they are free.
 *
 * @param done Pages of the call that are done.
 * @throws {InvalidRequestError} for params that the service would refuse.
 * @throws {ToolRefusal | CreditBudgetError} if a limit or a person says no. Nothing has been sent then.
 */
export async function approveCost(
  { tool, args, pages, options, signal }: ToolCall,
  done: number,
  { operation, params, pathId }: KeptPage,
  { client, budget, confirmAbove, confirm }: SessionSettings,
): Promise<CreditBudget | null> {
  const left = pages - done
  const quoted = operation.paging === undefined ? 1 : left
  const input = pathId ?? (JSON.parse(params) as object)
  const quote = client.quote(operation.id as OperationId, input, { maxPages: quoted })
  if (operation.price.kind === 'free') return null
  const isBounded = quote.perPage !== null
  const atMost = quoted * (quote.perPage ?? assumedItems * operation.price.credits)
  const fits = (most: number): string =>
    most * left < atMost ? '' : `; \`pages\` ${Math.floor((most * left) / atMost)} would fit`
  if (isCreditBudget(budget) && atMost > budget.remaining) {
    const { remaining, reserved } = budget.summary()
    const refusal = { name: budget.name, needed: atMost, remaining, reserved }
    const names = { budget: 'the budget', option: (name: string) => name }
    throw new CreditBudgetError({
      ...refusal,
      refusedBy: budget,
      what: notSent(budgetTooLow(refusal, names) + fits(budget.remaining)),
    })
  }
  if (atMost > confirmAbove || (atMost > 0 && !isBounded)) {
    const ask = options.confirm ?? confirm
    if (ask === undefined) {
      const price = `the call may cost ${count(atMost, 'credit')}, which needs the approval of a person`
      const message = `${price}, and this program cannot ask one; ask for less${fits(confirmAbove)}`
      throw new ToolRefusal('confirmation', message)
    }
    const request = { tool: tool.name, input: args, pages: left, atMost, isBounded, why: quote.why, signal }
    const isApproved: unknown = await ask(request)
    if (isApproved !== true)
      throw new ToolRefusal('confirmation', 'a person has declined the call; do not repeat it')
  }
  return Object.assign(new CreditBudget(atMost), { [untold]: true })
}

/** Milliseconds between reports of a call that waits. */
const progressMs = 5000

/** Items to set credits aside for, if the service documents no bound. */
function itemsToExpect({ price }: Operation): number | undefined {
  return boundOf(price) === null ? assumedItems : undefined
}

/**
 * Buys a page for a call, and keeps what results show of it, even of a paid answer that is not as documented.
 *
 * @param run The budget holds the call to the cost that was approved; `done` are its pages that are read.
 */
export async function buy(
  page: KeptPage,
  call: ToolCall,
  { budget, done }: { readonly budget: CreditBudget | undefined; readonly done: number },
  { transport, room }: SessionSettings,
  pages: KeptPages,
): Promise<PageContent> {
  const { operation, pathId } = page
  const { signal } = call
  const { fields, archive } = call.tool
  const { onProgress } = call.options
  if (archive !== undefined) return searchArchive(archive, page.params, room)
  const params = JSON.parse(page.params) as Record<string, unknown>
  const request = transport.compose(operation, params, pathId)
  let waiting = 'sent'
  const report =
    onProgress &&
    (() => {
      // Who has left wants to hear nothing more, though the answer is waited for.
      if (signal?.aborted !== true) runUserCallback(() => onProgress({ done, pages: call.pages, waiting }))
    })
  const onWait = ({ reason }: Wait): void => {
    waiting = reason
    report?.()
  }
  const observers = report && [{ onWait }]
  // Clients give up on a call that is silent.
  const timer = report && setInterval(report, progressMs)
  const options = { budget, expectedItems: itemsToExpect(operation), observers }
  try {
    // Once sent it may be charged, so its answer is waited for, even if the caller leaves.
    const { body, invalid } = await transport.send(operation, request, options, { callerLeft: signal })
    return contentFrom(body, invalid?.length)
  } catch (error) {
    // Who has left takes no retry from those who wait for the same page.
    const isOver = error === signal?.reason || (isSocialSearchError(error) && hadNoEffect(error))
    if (signal?.aborted === true && isOver) throw new ToolRefusal('cancelled', 'cancelled before it was sent')
    if (!(error instanceof InvalidResponseError) || error.charged === 'no') throw error
    return { ...contentFrom(error.body), failure: { error } }
  } finally {
    clearInterval(timer)
  }

  function contentFrom(body: unknown, invalid?: number): PageContent {
    const step = nextStep(operation, params, body, undefined, invalid)
    const next = step.kind === 'next' ? (canonicalJson(step.params) ?? '') : page.params
    const items = operation.list === undefined ? null : itemsOf(operation, body)
    return {
      ...(items === null
        ? { record: compact(body, operation.list === undefined ? fields : undefined, room) }
        : { items: items.map((item) => itemOf(compact(item, fields, room), item)), invalid }),
      // A page that names itself as the next one is the last.
      next: next === page.params ? null : pages.page(operation, next, undefined),
    }
  }
}
