/** Writes docs/reference.md from the operation table; with `--check` it only tells whether the page is up to date. */
import { readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import type { Operation, Paging, Price } from '../contract/operation.ts'
import { organizationLimits } from '../contract/limits.ts'
import { operations } from '../contract/operations.ts'

const target = new URL('../../docs/reference.md', import.meta.url)

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } })
const page = render()
if (!values.check) writeFileSync(target, page)
else if (readFileSync(target, 'utf8') !== page) {
  console.error('docs/reference.md is not what the operation table says; run npm run docs')
  process.exit(1)
}

function render(): string {
  const resources = Map.groupBy(operations as readonly Operation[], ({ id }) => id.split('.')[0] ?? id)
  const sections = [...resources].map(([name, members]) => `## ${name}\n\n${members.map(section).join('\n')}`)
  return `# Reference

Generated from the operation table in \`src/contract\` by \`npm run docs\`. Times are in seconds, prices in credits.

The organization may have ${organizationLimits.inFlight} requests in flight, and send ${organizationLimits.perMinute} a minute to each search surface. Every call can fail with
\`InvalidRequestError\` and \`CreditBudgetError\` before it is sent, with \`ConnectionError\`, \`TimeoutError\`, \`RedirectError\` and
\`InvalidResponseError\` where no usable answer comes, and with an \`ApiError\` as the service answers.

${sections.join('\n')}`
}

function section(operation: Operation): string {
  const { id, summary, method, path, scopes, surface, price, timeoutMs, documented, idPrefix, paging } =
    operation
  const facts: [string, string][] = [
    ['Request', `\`${method} ${path}\``],
    ['Price', priceOf(price)],
    ['Scopes', scopes.length === 0 ? 'not documented' : scopes.map((scope) => `\`${scope}\``).join(' and ')],
    ['Surface', surface ?? 'none'],
    ...(timeoutMs === undefined
      ? []
      : [['Recommended timeout', `${timeoutMs / 1000} s`] as [string, string]]),
    ...(idPrefix === undefined ? [] : [['Id', `starts with \`${idPrefix}\``] as [string, string]]),
    ...(paging === undefined ? [] : [['Walk', walkOf(paging, documented)] as [string, string]]),
    ['Shapes', documented ? 'documented, and checked' : 'not documented; params and answer pass through'],
  ]
  return `### ${id}\n\n${capitalized(summary)}.\n\n${facts.map(([name, fact]) => `- ${name}: ${fact}`).join('\n')}\n`
}

function priceOf(price: Price): string {
  if (price.kind === 'free') return 'free'
  if (price.kind === 'perRequest') return `${price.credits} for each success`
  const bound =
    price.ceiling === null
      ? 'no documented bound'
      : `at most \`${price.ceiling.param}\`, ${price.ceiling.default} unless set`
  return `${price.credits} for each item returned (${bound})`
}

function walkOf({ kind, param }: Paging, documented: boolean): string {
  const how = {
    cursor: `by \`${param}\`, until \`meta.hasMore\` is false`,
    untilEmpty: `by \`${param}\`, until a page is empty, which is charged as well`,
    counted: `by \`${param}\`, up to \`meta.pageCount\`, two pages at a time`,
  }[kind]
  return documented ? how : `${how}; inferred from the documented searches`
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
