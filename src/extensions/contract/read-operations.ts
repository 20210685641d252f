import { isRecord } from '../../lib/is-record.ts'
import { type Finding, finding } from './difference.ts'
import { own, resolve } from './resolve.ts'

const methods = ['get', 'put', 'post', 'delete', 'patch', 'trace']

const isJson = /^(application\/([\w.-]+\+)?json\s*(;|$)|\*\/\*$)/i

/** An operation as it is written in the description. */
export interface Written {
  /** Method and path. */
  name: string
  operation: Record<string, unknown>
  /** May have parameters for all operations of the path. */
  pathItem: unknown
  /** The whole description, for references. */
  document: unknown
}

/** An operation in plain form: schemas as they are written, or undefined if there is none. */
export interface PlainOperation {
  parameters: { name: string; in: string; required: boolean; schema: unknown }[]
  request: unknown
  /** Of the first success with a body. */
  response: unknown
  /** Of the other responses. */
  statuses: string[]
  unreadable: Finding[]
}

/** Method and path without the names of path parameters: `GET /mentions/{}`. */
export function keyOf(method: string, path: string): string {
  // The version is in the base path; whether the description repeats it is not documented.
  return `${method.toUpperCase()} ${path.replace(/^\/v1(?=\/)/, '').replaceAll(/\{[^{}]*\}/g, '{}')}`
}

/** All operations of a description, by {@link keyOf}, and findings about those that cannot be read. */
export function readOperations(document: unknown): { written: Map<string, Written>; unreadable: Finding[] } {
  const written = new Map<string, Written>()
  const unreadable: Finding[] = []
  const refuse = (path: string, value: unknown) => unreadable.push(finding('unreadable', path, null, value))
  const paths = own(document, 'paths')
  if (!isRecord(paths)) refuse('paths', paths)
  for (const [path, value] of Object.entries(isRecord(paths) ? paths : {})) {
    if (path.startsWith('x-')) continue
    const pathItem = resolve(document, value)
    if (!isRecord(pathItem)) refuse(`paths.${path}`, value)
    for (const method of methods) {
      const operation = own(pathItem, method)
      const key = keyOf(method, path)
      const name = `${method.toUpperCase()} ${path}`
      if (operation === undefined) continue
      if (!isRecord(operation)) refuse(name, operation)
      else if (written.has(key)) refuse(name, 'described twice')
      else written.set(key, { name, operation, pathItem, document })
    }
  }
  return { written, unreadable }
}

/** @param open The schema of a body without one. */
export function plainOperation(written: Written, open: true | undefined): PlainOperation {
  const { operation, document } = written
  const requestBody = own(operation, 'requestBody')
  const responses = own(operation, 'responses')
  const statuses = Object.keys(isRecord(responses) ? responses : {}).filter((name) => !name.startsWith('x-'))
  const success = statuses.find((status) => /^2(?!0[45])/.test(status))
  return {
    ...readParameters(written),
    request: requestBody === undefined ? open : jsonOf(resolve(document, requestBody), open),
    response: success === undefined ? undefined : jsonOf(resolve(document, own(responses, success)), open),
    statuses: statuses.filter((status) => status !== success),
  }
}

/** The parameters of an operation, which override those of its path. */
function readParameters({ operation, pathItem, document }: Written) {
  const found = new Map<string, PlainOperation['parameters'][number]>()
  const unreadable: Finding[] = []
  for (const part of [pathItem, operation]) {
    const seen = new Set<string>()
    const list = own(part, 'parameters')
    for (const given of list === undefined ? [] : [list].flat()) {
      const parameter = resolve(document, given)
      const [name, place] = [own(parameter, 'name'), own(parameter, 'in')]
      const isReadable = typeof name === 'string' && typeof place === 'string'
      const key = isReadable ? `${place} ${name}` : ''
      if (!isReadable || seen.has(key)) unreadable.push(finding('unreadable', 'parameters', null, null))
      else {
        const required = own(parameter, 'required') === true
        found.set(key, { name, in: place, required, schema: parameterSchema(parameter, place) })
      }
      seen.add(key)
    }
  }
  return { parameters: [...found.values()], unreadable }
}

/** The schema of a parameter. Keywords that change its serialization count as unreadable. */
function parameterSchema(parameter: unknown, place: string): unknown {
  const [schema = true, content, style] = ['schema', 'content', 'style'].map((name) => own(parameter, name))
  const isPlain = style === undefined || style === (place === 'query' ? 'form' : 'simple')
  if (content === undefined && isPlain) return schema
  return { allOf: [schema], ...(content !== undefined && { content }), ...(!isPlain && { style }) }
}

/** The schema of a JSON body. If there are several, the first, with `content` as an unreadable keyword. */
function jsonOf(body: unknown, open: true | undefined): unknown {
  const content = own(body, 'content')
  if (content === undefined) return isRecord(body) ? open : undefined
  const types = Object.keys(isRecord(content) ? content : {}).filter((type) => isJson.test(type))
  if (types.length === 0) return undefined
  const [schema = open] = types.map((type) => own(own(content, type), 'schema'))
  return types.length === 1 ? schema : { allOf: [schema], content: types }
}
