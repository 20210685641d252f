import { isRecord } from '../lib/is-record.ts'
import type { ContractDifference } from './difference.ts'
import { own, resolve } from './resolve.ts'

const methods = ['get', 'put', 'post', 'delete', 'patch', 'trace']

/** Headers that OpenAPI does not describe as parameters of an operation. */
const ignoredHeaders = ['accept', 'content-type', 'authorization']

const isJson = /^(application\/([\w.-]+\+)?json\s*(;|$)|\*\/\*$)/i

/** An operation of the description. */
export interface PublishedOperation {
  /** Method and path, as in the description. */
  name: string
  /** The operation, and its path item, which may have parameters for all operations of the path. */
  parts: readonly [operation: unknown, pathItem: unknown]
}

/** A parameter of the description. */
export interface PublishedParameter {
  name: string
  in: string
  required: boolean
  schema: unknown
}

/** Method and path without the names of path parameters: `GET /mentions/{}`. */
export function keyOf(method: string, path: string): string {
  // The version is in the base path; whether the description repeats it is not documented.
  return `${method.toUpperCase()} ${path.replace(/^\/v1(?=\/)/, '').replaceAll(/\{[^{}]*\}/g, '{}')}`
}

/** All operations of a description, by {@link keyOf}. Reports those that cannot be read. */
export function readOperations(
  description: unknown,
  report: (difference: ContractDifference) => void,
): Map<string, PublishedOperation> {
  const found = new Map<string, PublishedOperation>()
  const unreadable = (path: string, published: unknown): void =>
    report({ kind: 'unreadable', operation: null, path, assumed: null, published })
  const paths = own(description, 'paths')
  if (!isRecord(paths)) unreadable('paths', paths ?? null)
  for (const [path, value] of Object.entries(isRecord(paths) ? paths : {})) {
    if (path.startsWith('x-')) continue
    const pathItem = resolve(description, value)
    if (!isRecord(pathItem)) unreadable(`paths.${path}`, value)
    for (const method of methods) {
      const operation = own(pathItem, method)
      if (operation === undefined) continue
      const key = keyOf(method, path)
      const name = `${method.toUpperCase()} ${path}`
      if (!isRecord(operation) || found.has(key))
        unreadable(name, isRecord(operation) ? 'described twice' : operation)
      else found.set(key, { name, parts: [operation, pathItem] })
    }
  }
  return found
}

/** The parameters of an operation; they override those of its path. Null stands for a parameter that cannot be read. */
export function readParameters(
  { parts: [operation, pathItem] }: PublishedOperation,
  document: unknown,
): (PublishedParameter | null)[] {
  const found = new Map<string, PublishedParameter>()
  const unreadable: null[] = []
  for (const list of [own(pathItem, 'parameters'), own(operation, 'parameters')]) {
    if (list !== undefined && !Array.isArray(list)) unreadable.push(null)
    const seen = new Set<string>()
    for (const given of Array.isArray(list) ? (list as unknown[]) : []) {
      const parameter = resolve(document, given)
      const [name, place] = [own(parameter, 'name'), own(parameter, 'in')]
      if (typeof name !== 'string' || typeof place !== 'string') {
        unreadable.push(null)
        continue
      }
      const key = `${place} ${name}`
      if (seen.has(key)) unreadable.push(null)
      else if (place !== 'header' || !ignoredHeaders.includes(name.toLowerCase()))
        found.set(key, {
          name,
          in: place,
          required: own(parameter, 'required') === true,
          schema: parameterSchema(parameter, place),
        })
      seen.add(key)
    }
  }
  return [...found.values(), ...unreadable]
}

/** The schema of a parameter. Keywords that change its serialization count as unreadable. */
function parameterSchema(parameter: unknown, place: string): unknown {
  const [schema = true, content, style] = ['schema', 'content', 'style'].map((name) => own(parameter, name))
  const isPlain = style === undefined || style === (place === 'query' ? 'form' : 'simple')
  const odd = { ...(content !== undefined && { content }), ...(!isPlain && { style }) }
  return Object.keys(odd).length === 0 ? schema : { allOf: [schema], ...odd }
}

/**
 * The schema of a JSON body; undefined without one. If there are several, the first, with `content` as an unreadable
 * keyword.
 */
export function jsonOf(body: unknown): unknown {
  const content = own(body, 'content')
  const types = Object.keys(isRecord(content) ? content : {}).filter((type) => isJson.test(type))
  const [schema] = types.map((type) => own(own(content, type), 'schema'))
  return types.length < 2 ? schema : { allOf: [schema], content: types }
}

/** The schema of a body: a body without a schema accepts anything, and a body without JSON is unreadable. */
export function openJsonOf(body: unknown): unknown {
  const content = own(body, 'content')
  const isSilent =
    content === undefined
      ? isRecord(body)
      : isRecord(content) && Object.keys(content).some((type) => isJson.test(type))
  return jsonOf(body) ?? (isSilent || undefined)
}

/** The responses of an operation: its first success with a body, and the statuses of the others. */
export function readResponses(
  { parts: [operation] }: PublishedOperation,
  document: unknown,
): { success: unknown; others: string[] } {
  const responses = own(operation, 'responses')
  const statuses = Object.keys(isRecord(responses) ? responses : {}).filter((name) => !name.startsWith('x-'))
  const success = statuses.find((status) => /^2(?!0[45])/.test(status))
  return {
    success: success === undefined ? undefined : resolve(document, own(responses, success)),
    others: statuses.filter((status) => status !== success),
  }
}
