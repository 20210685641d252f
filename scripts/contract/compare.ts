import { creditRates, publishedRates } from '../../src/api/price.ts'
import { descriptionGet } from '../../src/api/endpoints/description.ts'
import type { Operation } from '../../src/api/operation.ts'
import { operations } from '../../src/api/operations.ts'
import { describeService } from '../../src/extensions/sandbox/description.ts'
import { readOperations } from './operation-facts.ts'
import { type Facts, own } from './schema-facts.ts'

export interface Difference {
  /** Id of the operation; undefined for the service as a whole. */
  readonly operation?: string
  /** Such as `request.query.maxLength`, `responses.503`, `POST /mentions`. */
  readonly path: string
  /** Undefined if this package has nothing there. */
  readonly assumed?: string | undefined
  /** Undefined if the description has nothing there. */
  readonly published?: string | undefined
  /** The description documents what this package leaves open: nothing breaks. */
  readonly isNews?: boolean
}

/**
 * Compares a service's description with the operations of this package: params, responses, error statuses, and credit
 * rates. It does not compare the bodies of errors, security, servers and `format`.
 */
export function compareContract(description: unknown): Difference[] {
  const version = String(own(description, 'openapi'))
  if (!version.startsWith('3.1.')) throw new Error(`the description is of OpenAPI ${version}, not 3.1`)
  const [ours, theirs] = [readOperations(describeService()), readOperations(description)]
  const differences: Difference[] = []
  for (const { id, method, path, documented } of operations as readonly Operation[]) {
    const key = `${method} ${path.replaceAll(/\{[^{}]*\}/g, '{}')}`
    const [assumed, published] = [ours.get(key), theirs.get(key)]
    theirs.delete(key)
    if (assumed && published)
      for (const each of compareFacts(assumed.facts, published.facts, documented))
        differences.push({ ...each, operation: id })
    // A description that does not mention itself is there all the same.
    else if (id !== descriptionGet.id)
      differences.push({ operation: id, path: `${method} ${path}`, assumed: id })
  }
  differences.push(...[...theirs.values()].map(({ name }) => ({ path: name, published: name })))
  const rates = publishedRates(description)
  for (const [rate, assumed] of Object.entries(creditRates))
    if (rates[rate] !== assumed)
      differences.push({ path: rate, assumed: `${assumed}`, published: rates[rate]?.toString() })
  return differences
}

function compareFacts(assumed: Facts, published: Facts, isDocumented: boolean): Difference[] {
  // A description of ids need not repeat how they begin.
  if (!published.has('path.pattern')) assumed.delete('path.pattern')
  if (!isDocumented) leaveOpen(assumed, published)
  const found: Difference[] = []
  for (const path of new Set([...assumed.keys(), ...published.keys()])) {
    const [a, b] = [assumed.get(path), published.get(path)]
    // What another type, or something new, consists of is no further difference.
    const isPart = found.some((each) => path.startsWith(`${each.path}.`) || path.startsWith(`${each.path}[`))
    if (a !== b && !isPart)
      found.push({ path, assumed: a, published: b, isNews: !isDocumented && a === undefined })
  }
  return found
}

/** Takes out what the service and this package both leave open, so that only a newly documented shape differs. */
function leaveOpen(assumed: Facts, published: Facts): void {
  for (const facts of [assumed, published])
    for (const path of facts.keys())
      if (path === 'responses.default' || path.endsWith('.extra fields')) facts.delete(path)
  for (const at of ['request', 'response']) {
    const isPart = (path: string): boolean => path === at || path.startsWith(`${at}.`)
    const said = [...published.keys()].filter(isPart)
    if (said.length !== 1 || !/^(any|object)$/.test(published.get(at) ?? '')) continue
    for (const facts of [assumed, published])
      for (const path of facts.keys()) if (isPart(path)) facts.delete(path)
  }
}
