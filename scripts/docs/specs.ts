import type { Operation } from '../../src/api/operation.ts'
import { operations } from '../../src/api/operations.ts'
import { jsonSchemaOf } from '../../src/api/schema/json-schema.ts'
import type { Schema } from '../../src/api/schema/schema.ts'
import { describeService } from '../../src/extensions/sandbox/description.ts'
import { createSandbox } from '../../src/extensions/sandbox/index.ts'
import { priceOf, sentence } from './words.ts'

const title = 'Social Search and Organization Data API'
const address = 'https://api.example.com/v1'

/** Values of required fields that the sandbox knows. The search for posts sets `postUrl`. */
const examples: Readonly<Record<string, string>> = {
  query: 'coffee',
  url: 'https://professionalnet.example/company/candlemere-lighting',
  postUrl: '{{postUrl}}',
}

/** Files for other tools, by path: an OpenAPI document, JSON Schemas of the documented shapes, a Bruno collection. */
export function renderSpecs(schemas: Readonly<Record<string, Schema>>): Map<string, string> {
  const openapi = { ...describeService(), info: { title, version: '1' }, servers: [{ url: address }] }
  const all = operations as readonly Operation[]
  return new Map([
    ['openapi.json', json(openapi)],
    ...Object.entries(schemas).map(
      ([name, schema]) => [`schemas/${name}.json`, json(schemaFile(name, schema))] as const,
    ),
    ['bruno/bruno.json', json({ version: '1', name: title, type: 'collection' })],
    ['bruno/collection.bru', block('auth', 'mode: bearer') + block('auth:bearer', 'token: {{apiKey}}')],
    ['bruno/environments/service.bru', block('vars', `baseUrl: ${address}`) + 'vars:secret [\n  apiKey\n]\n'],
    [
      'bruno/environments/sandbox.bru',
      block('vars', 'baseUrl: http://127.0.0.1:4010/v1', `apiKey: ${createSandbox().apiKey}`),
    ],
    ...all.map((operation, index) => [`bruno/${operation.id}.bru`, bruno(operation, index + 1)] as const),
  ])
}

function schemaFile(name: string, schema: Schema): object {
  return { $schema: 'https://json-schema.org/draft/2020-12/schema', title: name, ...jsonSchemaOf(schema) }
}

function bruno({ id, summary, method, path, pathId, price, request }: Operation, seq: number): string {
  const hasBody = method !== 'GET'
  const { required = [] } = jsonSchemaOf(request)
  const body = Object.fromEntries(required.map((name) => [name, examples[name]]))
  return [
    block('meta', `name: ${id}`, 'type: http', `seq: ${seq}`),
    block(
      method.toLowerCase(),
      `url: {{baseUrl}}${path.replace('{id}', ':id')}`,
      `body: ${hasBody ? 'json' : 'none'}`,
      'auth: inherit',
    ),
    ...(pathId ? [block('params:path', `id: ${pathId.prefix}`)] : []),
    ...(hasBody ? [block('body:json', ...JSON.stringify(body, null, 2).split('\n'))] : []),
    ...(id === 'professionalnet.posts.search'
      ? [block('vars:post-response', 'postUrl: res.body.posts[0].share_url')]
      : []),
    block('docs', sentence(summary), `Price: ${priceOf(price)}.`),
  ].join('')
}

/** A block of Bruno's format, and an empty line. */
function block(name: string, ...lines: string[]): string {
  return `${name} {\n${lines.map((line) => `  ${line}\n`).join('')}}\n\n`
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}
