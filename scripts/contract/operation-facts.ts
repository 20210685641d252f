import { isRecord } from '../../src/lib/json.ts'
import { type Facts, addSchema, lookUp, own } from './schema-facts.ts'

const methods = ['get', 'put', 'post', 'delete', 'patch', 'trace']

const isJson = /^(application\/([\w.-]+\+)?json\s*(;|$)|\*\/\*$)/i

/** Headers that OpenAPI does not describe as parameters of an operation. */
const ignoredHeaders = ['accept', 'content-type', 'authorization']

export interface DescribedOperation {
  /** Method and path, as described. */
  readonly name: string
  readonly facts: Facts
}

/**
 * What a description says of each operation, by method and path. Neither the version in front of a path counts, which the
 * service may repeat, nor the names of path parameters.
 */
export function readOperations(document: unknown): Map<string, DescribedOperation> {
  const found = new Map<string, DescribedOperation>()
  for (const [path, given] of Object.entries(own(document, 'paths') ?? {})) {
    const pathItem = target(document, given)
    for (const method of methods) {
      const operation = own(pathItem, method)
      if (operation === undefined) continue
      const name = `${method.toUpperCase()} ${path}`
      const key = name.replace(/ \/v1(?=\/)/, ' ').replaceAll(/\{[^{}]*\}/g, '{}')
      found.set(key, { name, facts: factsOf(operation, pathItem, document) })
    }
  }
  return found
}

function factsOf(operation: unknown, pathItem: unknown, document: unknown): Facts {
  const facts: Facts = new Map()
  const parameters = [pathItem, operation].flatMap((each) => [own(each, 'parameters') ?? []].flat())
  for (const given of parameters) {
    const parameter = target(document, given)
    if (!isRecord(parameter)) throw new Error('a parameter in the description cannot be read')
    const { name, in: place, required = false, schema = true, content, style } = parameter
    const isUsual = required !== true || ignoredHeaders.includes(String(name).toLowerCase())
    if (place !== 'path' && place !== 'query' && isUsual) continue
    const at = place === 'path' ? 'path' : `${String(place)}.${String(name)}`
    addSchema(facts, at, schema, document)
    if (place === 'query') facts.set(`${at}.required`, required === true ? 'yes' : 'no')
    for (const [keyword, value] of Object.entries({ content, style }))
      if (value !== undefined && value !== (place === 'query' ? 'form' : 'simple'))
        facts.set(`${at}.${keyword}`, JSON.stringify(value))
  }
  const body = own(operation, 'requestBody')
  if (body !== undefined) addBody(facts, 'request', target(document, body), document)
  const responses = Object.entries(own(operation, 'responses') ?? {})
  const success = responses.find(([status]) => /^2(?!0[45])/.test(status))
  if (success) addBody(facts, 'response', target(document, success[1]), document)
  for (const [status] of responses)
    if (status !== success?.[0]) facts.set(`responses.${status}`, 'documented')
  return facts
}

/** The schema of the JSON body; if there are several, the first, and their types. */
function addBody(facts: Facts, at: 'request' | 'response', body: unknown, document: unknown): void {
  const content = own(body, 'content')
  const all = Object.keys(content ?? {})
  const [type, ...others] = all.filter((each) => isJson.test(each))
  if (type !== undefined) addSchema(facts, at, own(own(content, type), 'schema') ?? true, document)
  else facts.set(at, content === undefined ? 'unreadable' : all.join(' or '))
  if (others.length > 0) facts.set(`${at}.content`, all.join(' or '))
}

function target(document: unknown, value: unknown): unknown {
  const ref = own(value, '$ref')
  return ref === undefined ? value : lookUp(document, ref)
}
