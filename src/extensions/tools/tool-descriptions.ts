import type { Operation } from '../../api/operation.ts'
import { maxPages } from '../../api/schema/tool-input.ts'
import { count } from '../../lib/count.ts'

/** The title of a tool, for people. */
export function titleOf({ summary }: Operation): string {
  return `${summary.charAt(0).toUpperCase()}${summary.slice(1)}`
}

/** What a tool does and costs, for the model that chooses it. */
export function describe(operation: Operation, confirmAbove: number): string {
  const { documented } = operation
  const open = documented || operation.method === 'GET' ? '' : ' Further params are not documented.'
  const isAsked = operation.price.kind !== 'free' && confirmAbove !== Infinity
  const ask = isAsked ? ` Calls above ${confirmAbove} need a person's approval.` : ''
  return `${titleOf(operation)}. ${priceText(operation)}${ask}${open}`
}

/** The price of a call, and what it may come to. */
function priceText({ price, paging, list = 'items' }: Operation): string {
  if (price.kind === 'free') return 'Free.'
  const each = count(price.credits, 'credit')
  if (price.kind === 'perRequest')
    return paging === undefined
      ? `Costs ${each} a call.`
      : `Costs ${each} a page, so at most ${price.credits * maxPages} with \`pages\` ${maxPages}.`
  const perItem = `Costs ${each} for each of the ${list}`
  return price.bound === null
    ? `${perItem}; the number is not known beforehand, so a person has to agree to each call.`
    : `${perItem}, so at most \`${price.bound.param}\` times ${price.credits}: ${price.credits * price.bound.default} unless you set it.`
}
