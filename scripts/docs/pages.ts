import { organizationLimits } from '../../src/api/limits.ts'
import type { Operation } from '../../src/api/operation.ts'
import { operations } from '../../src/api/operations.ts'
import type { Declarations } from './declarations.ts'
import { catalogPage } from './catalog.ts'
import { errorsPage } from './errors-page.ts'
import { callOf, operationSection } from './operation.ts'
import { capitalized, code, priceOf, sentence, table } from './words.ts'

const ofDescription = 'The service describes itself. `client.creditRates()` reads its credit rates.'

/** The titles of pages whose resource has no name that people say. */
const titles: Record<string, string> = {
  professionalnet: 'Professional network',
  technews: 'Tech news',
  description: 'API description',
}

const generated = '<!-- Generated from the sources by `npm run docs`. -->'

/** Renders every page of the reference, by file name. */
export function renderPages(declarations: Declarations): Map<string, string> {
  const resources = Map.groupBy(operations as readonly Operation[], resourceOf)
  const pages = [...resources].map(
    ([resource, members]) => [`${resource}.md`, resourcePage(resource, members, declarations)] as const,
  )
  return new Map([
    ['README.md', indexPage(resources, declarations)],
    ...pages,
    ['errors.md', `${generated}\n\n${errorsPage(declarations)}\n`],
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
    `# ${titles[resource] ?? capitalized(resource)}`,
    `${isMember ? sentence(declarations.member(resource).text) : ofDescription} \`client\` is a [\`SocialSearch\`](README.md#socialsearch). Options and errors shared by all calls: [Reference](README.md).`,
    ...(members.length > 1 ? [members.map(({ id }) => `- [${id}](#${anchorOf(id)})`).join('\n')] : []),
    ...members.map((operation) => operationSection(operation, declarations)),
  ]
  return `${[generated, ...parts].join('\n\n')}\n`
}

/** The anchor of a heading in rendered Markdown. */
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
    'All calls of a client, their options, limits and errors.',
    '## SocialSearch',
    `\`\`\`ts\nimport { SocialSearch } from 'social-search-sdk'\n\nconst client = SocialSearch.fromEnv() // or new SocialSearch({ baseUrl, apiKey })\n\`\`\``,
    '[Options](../options.md) lists what the constructor accepts. Besides the calls below, a client has:',
    table(['Member', 'Meaning'], clientRows(declarations)),
    '## Calls',
    'Fields keep the names of the service. If shapes are open, the service documents neither params nor response, and both pass through unchanged.',
    table(['Call', 'What it does', 'Price', 'Shapes'], calls),
    'The catalog of planets, a separate sample area of the service, has its own client and [its own page](catalog.md).',
    '## Options of a call',
    'Pass options as the last argument of a call.',
    table(['Option', 'Applies to', 'Meaning'], optionRows(declarations)),
    '## Limits',
    limits(),
    '## Errors',
    '[Errors](errors.md) lists every code, class and sentence.',
  ]
  return `${[generated, ...parts].join('\n\n')}\n`
}

/** What a client has besides calls of the service. */
function clientRows(declarations: Declarations): string[][] {
  const forms = {
    credits: 'credits',
    quote: 'quote(id, params, options)',
    creditRates: 'creditRates()',
    status: 'status()',
    withOptions: 'withOptions(options)',
    transport: 'transport',
    close: 'close()',
  }
  return Object.entries(forms).map(([name, form]) => [code(`client.${form}`), declarations.member(name).text])
}

/** Each option once, with the first kind of call that accepts it. */
function optionRows(declarations: Declarations): string[][] {
  const kinds = {
    CallOptions: 'every call',
    PagedOptions: 'searches and lists',
    OpenListOptions: 'lists with open shapes',
    ExpectedItemsOption: 'calls whose price is unbounded',
    SchemaOption: 'calls that return records',
  }
  const rows = Object.entries(kinds).flatMap(([type, kind]) =>
    [...declarations.exported('core/options/options.ts', type).fields()].map(([name, { text }]) => [
      code(name),
      kind,
      text,
    ]),
  )
  return rows.filter(([name], i) => rows.findIndex(([other]) => other === name) === i)
}

function limits(): string {
  const { inFlight, perMinute } = organizationLimits
  return `Your organization may have ${inFlight} requests in flight, and send ${perMinute} a minute to each search surface. The client queues calls to stay within both limits.`
}
