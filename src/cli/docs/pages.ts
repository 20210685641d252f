import { organizationLimits } from '../../contract/limits.ts'
import type { Operation } from '../../contract/operation.ts'
import { operations } from '../../contract/operations.ts'
import * as clientErrors from '../../errors/client.ts'
import { apiErrorClasses } from '../../errors.ts'
import type { Declarations } from './declarations.ts'
import { catalogPage } from './catalog.ts'
import { callOf, codeOf, conditionOf, operationSection } from './operation.ts'
import { capitalized, code, priceOf, sentence, table } from './words.ts'

const ofDescription =
  'What the service says of itself. `client.creditRates()` reads the credit rates in it; `compareContract()` compares it with what this package takes the service to be.'

const generated = '<!-- Generated from the sources by `npm run docs`. -->'

/** Every page of the reference, by the name of its file. */
export function renderPages(declarations: Declarations): Map<string, string> {
  const resources = Map.groupBy(operations as readonly Operation[], resourceOf)
  const pages = [...resources].map(
    ([resource, members]) => [`${resource}.md`, resourcePage(resource, members, declarations)] as const,
  )
  return new Map([
    ['README.md', indexPage(resources, declarations)],
    ...pages,
    ['catalog.md', `${generated}\n\n${catalogPage(declarations)}\n`],
  ])
}

function resourceOf({ id }: Operation): string {
  const [resource, method] = id.split('.')
  return method === undefined || resource === undefined ? 'description' : resource
}

function resourcePage(resource: string, members: readonly Operation[], declarations: Declarations): string {
  const isMember = members.some(({ id }) => id.startsWith(`${resource}.`))
  const parts = [
    `# ${capitalized(resource)}`,
    `${isMember ? sentence(declarations.member(resource).text) : ofDescription} What every call shares is on [the first page](README.md).`,
    ...(members.length > 1 ? [members.map(({ id }) => `- [${id}](#${anchorOf(id)})`).join('\n')] : []),
    ...members.map((operation) => operationSection(operation, declarations)),
  ]
  return `${[generated, ...parts].join('\n\n')}\n`
}

/** The anchor that Markdown renderers make of a heading. */
function anchorOf(id: string): string {
  return id.replaceAll('.', '').toLowerCase()
}

function indexPage(resources: ReadonlyMap<string, readonly Operation[]>, declarations: Declarations): string {
  const calls = [...resources].flatMap(([resource, members]) =>
    members.map((operation) => [
      `[${code(callOf(operation, declarations))}](${resource}.md#${anchorOf(operation.id)})`,
      capitalized(operation.summary),
      priceOf(operation.price),
      operation.documented ? 'documented' : 'open',
    ]),
  )
  const parts = [
    '# Reference',
    'Every call of a client. Fields keep the names that the service gives them. Where shapes are open, the service documents neither params nor answer: both pass through.',
    '## Calls',
    table(['Call', 'What it does', 'Price', 'Shapes'], calls),
    'The calls of the catalog, which is apart from all this, are on [a page of their own](catalog.md).',
    '## Options of a call',
    'The last argument of each call.',
    table(['Option', 'Of', 'Meaning'], optionRows(declarations)),
    '## Limits',
    limits(),
    '## Errors',
    ...errorParts(declarations),
  ]
  return `${[generated, ...parts].join('\n\n')}\n`
}

/** Each option once, with the calls that it first belongs to. */
function optionRows(declarations: Declarations): string[][] {
  const kinds = {
    CallOptions: 'every call',
    PagedOptions: 'walks',
    OpenListOptions: 'walks whose shape is open',
    CeilingOption: 'calls without a bound on their price',
    SchemaOption: 'calls that give records',
  }
  const rows = Object.entries(kinds).flatMap(([type, kind]) =>
    [...declarations.exported('core/options/types.ts', type).fields()].map(([name, { text }]) => [
      code(name),
      kind,
      text,
    ]),
  )
  return rows.filter(([name], i) => rows.findIndex(([other]) => other === name) === i)
}

function limits(): string {
  const { inFlight, perMinute } = organizationLimits
  return `The organization may have ${inFlight} requests in flight, and send ${perMinute} a minute to each search surface. The client keeps both by itself.`
}

function errorParts(declarations: Declarations): string[] {
  const answers = Object.entries(apiErrorClasses).map(([status, { name }]) => [
    status,
    code(name),
    codeOf(Number(status)),
    conditionOf(Number(status), declarations),
  ])
  const { text } = declarations.exported('errors/api.ts', 'ApiError')
  const others = Object.keys(clientErrors).map((name) => [
    code(name),
    declarations.exported('errors/client.ts', name).text,
  ])
  return [
    '[Errors and retries](../errors.md) lists the fields of each. These are responses of the service:',
    table(['Status', 'Class', '`code`', 'When'], [...answers, ['others', '`ApiError`', 'as sent', text]]),
    'These come before anything is sent, or where no usable answer comes:',
    table(['Class', 'When'], others),
  ]
}
