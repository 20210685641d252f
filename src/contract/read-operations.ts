import { isRecord } from '../lib/is-record.ts'
import { type Finding, finding } from './difference.ts'
import { own, resolve } from './resolve.ts'

const methods = ['get', 'put', 'post', 'delete', 'patch', 'trace']

const isJson = /^(application\/([\w.-]+\+)?json\s*(;|$)|\*\/\*$)/i

/** An operation of the description. */
export interface PublishedOperation {
  /** Method and path, as in the description. */
  name: string
  operation: Record<string, unknown>
  /** May have parameters for all operations of the path. */
  pathItem: unknown
  /** The whole description, for references. */
  document: unknown
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

/** All operations of a description, by {@link keyOf}, and findings about those that cannot be read. */
export function readOperations(document: unknown): {
  published: Map<string, PublishedOperation>
  unreadable: Finding[]
} {
  const published = new Map<string, PublishedOperation>()
  const unreadable: Finding[] = []
  const refuse = (path: string, value: unknown) => unreadable.push(finding('unreadable', path, null, value))
  const paths = own(document, 'paths')
  if (!isRecord(paths)) refuse('paths', paths ?? null)
  for (const [path, value] of Object.entries(isRecord(paths) ? paths : {})) {
    if (path.startsWith('x-')) continue
    const pathItem = resolve(document, value)
    if (!isRecord(pathItem)) refuse(`paths.${path}`, value)
    for (const method of methods) {
      const operation = own(pathItem, method)
      if (operation === undefined) continue
      const key = keyOf(method, path)
      const name = `${method.toUpperCase()} ${path}`
      if (!isRecord(operation)) refuse(name, operation)
      else if (published.has(key)) refuse(name, 'described twice')
      else published.set(key, { name, operation, pathItem, document })
    }
  }
  return { published, unreadable }
}

/** The parameters of an operation, which override those of its path, and the number of those that cannot be read. */
export function readParameters({ operation, pathItem, document }: PublishedOperation): {
  parameters: PublishedParameter[]
  unreadable: number
} {
  const found = new Map<string, PublishedParameter>()
  let unreadable = 0
  for (const part of [pathItem, operation]) {
    const list = own(part, 'parameters')
    const seen = new Set<string>()
    for (const given of list === undefined ? [] : [list].flat()) {
      const parameter = readParameter(resolve(document, given))
      const key = `${parameter?.in} ${parameter?.name}`
      if (parameter === null || seen.has(key)) unreadable += 1
      else found.set(key, parameter)
      seen.add(key)
    }
  }
  return { parameters: [...found.values()], unreadable }
}

function readParameter(parameter: unknown): PublishedParameter | null {
  const [name, place] = [own(parameter, 'name'), own(parameter, 'in')]
  if (typeof name !== 'string' || typeof place !== 'string') return null
  const required = own(parameter, 'required') === true
  return { name, in: place, required, schema: parameterSchema(parameter, place) }
}

/** The schema of a parameter. Keywords that change its serialization count as unreadable. */
function parameterSchema(parameter: unknown, place: string): unknown {
  const [schema = true, content, style] = ['schema', 'content', 'style'].map((name) => own(parameter, name))
  const isPlain = style === undefined || style === (place === 'query' ? 'form' : 'simple')
  const odd = { ...(content !== undefined && { content }), ...(!isPlain && { style }) }
  return Object.keys(odd).length === 0 ? schema : { allOf: [schema], ...odd }
}

/**
 * The schema of a JSON body; undefined without JSON. If there are several, the first, with `content` as an unreadable
 * keyword.
 *
 * @param open The result for a body without a schema.
 */
export function jsonOf(body: unknown, open?: true): unknown {
  const content = own(body, 'content')
  if (content === undefined) return isRecord(body) ? open : undefined
  const types = Object.keys(isRecord(content) ? content : {}).filter((type) => isJson.test(type))
  if (types.length === 0) return undefined
  const [schema = open] = types.map((type) => own(own(content, type), 'schema'))
  return types.length === 1 ? schema : { allOf: [schema], content: types }
}

/** The responses of an operation: its first success with a body, and the statuses of the others. */
export function readResponses({ operation, document }: PublishedOperation): {
  success: unknown
  others: string[]
} {
  const responses = own(operation, 'responses')
  const statuses = Object.keys(isRecord(responses) ? responses : {}).filter((name) => !name.startsWith('x-'))
  const success = statuses.find((status) => /^2(?!0[45])/.test(status))
  return {
    success: success === undefined ? undefined : resolve(document, own(responses, success)),
    others: statuses.filter((status) => status !== success),
  }
}
