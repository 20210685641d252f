import { apiErrorClasses } from '../../src/errors/index.ts'
import type { ClientErrorCode } from '../../src/errors/index.ts'
import type { Declarations } from './declarations.ts'
import { type SaidCode, messages, sentencesOf } from './error-sentences.ts'
import { codeOf, conditionOf } from './operation.ts'
import { code, table } from './words.ts'

/** The class of each code, and the file in src/errors that has it. */
const classes: Readonly<
  Record<Exclude<ClientErrorCode, 'invalid_event'>, readonly [name: string, file: string]>
> = {
  configuration: ['ConfigurationError', 'client'],
  invalid_request: ['InvalidRequestError', 'client'],
  credit_budget: ['CreditBudgetError', 'client'],
  budget_unavailable: ['BudgetUnavailableError', 'stores'],
  not_cached: ['NotCachedError', 'stores'],
  closed: ['ClosedError', 'client'],
  connection: ['ConnectionError', 'client'],
  timeout: ['TimeoutError', 'client'],
  redirect: ['RedirectError', 'client'],
  invalid_response: ['InvalidResponseError', 'client'],
  pagination: ['PaginationError', 'client'],
  reauthorization_required: ['ReauthorizationRequiredError', 'oauth'],
  oauth: ['OAuthError', 'oauth'],
  token_store: ['TokenStoreError', 'oauth'],
}

/** The page of every error: its code, its class, when it comes, its fields, and what it says. */
export function errorsPage(declarations: Declarations): string {
  const documented = Object.entries(apiErrorClasses).map(([status, { name }]) => [
    ...[status, code(name), codeOf(Number(status)), conditionOf(Number(status), declarations)],
    lines(sentencesOf(Number(status))),
  ])
  const { text } = declarations.exported('errors/api.ts', 'ApiError')
  const own = Object.entries(classes).map(([each, [name, file]]) => [
    ...[code(each), code(name), declarations.exported(`errors/${file}.ts`, name).text],
    lines(sentencesOf(each as SaidCode)),
  ])
  const parts = [
    '# Errors',
    'A message says which call failed, what happened, what it cost, and what to do:',
    `\`\`\`text\n${messages.join('\n')}\n\`\`\``,
    '[Errors and retries](../errors.md) says what to do. All errors have these fields, where they apply:',
    fields(
      'base',
      'SocialSearchError',
      declarations,
      new Set(['name', 'message', 'stack', 'cause', 'toJSON']),
    ),
    '## Responses of the service',
    table(
      ['Status', 'Class', '`code`', 'When', 'What it says'],
      [...documented, ['others', '`ApiError`', 'as sent', text, lines(sentencesOf('others'))]],
    ),
    'They also have:',
    fields('api', 'ApiError', declarations),
    '## Errors of the client',
    table(['`code`', 'Class', 'When', 'What it says'], own),
    'Fields of their own:',
    table(['Class', 'Field', 'Meaning'], [...ownFields(declarations), ...budgetFields(declarations)]),
  ]
  return parts.join('\n\n')
}

const lines = (sentences: readonly string[]): string => sentences.join('<br>')

function fields(file: string, name: string, declarations: Declarations, less?: ReadonlySet<string>): string {
  return table(['Field', 'Meaning'], fieldsOf(file, name, declarations, less))
}

function fieldsOf(
  file: string,
  name: string,
  declarations: Declarations,
  less: ReadonlySet<string> = commonOf(declarations),
) {
  return [...declarations.exported(`errors/${file}.ts`, name).fields()].flatMap(([field, { text }]) =>
    less.has(field) || text === '' || field.startsWith('__') ? [] : [[code(field), text]],
  )
}

function commonOf(declarations: Declarations): Set<string> {
  const fields = declarations.exported('errors/base.ts', 'SocialSearchError').fields()
  return new Set([...fields.keys(), 'of'])
}

function ownFields(declarations: Declarations): string[][] {
  return Object.values(classes).flatMap(([name, file]) =>
    fieldsOf(file, name, declarations).map((row) => [code(name), ...row]),
  )
}

/** What the field `budget` has. */
function budgetFields(declarations: Declarations): string[][] {
  const fields = declarations.exported('errors/facts.ts', 'RefusedBudget').fields()
  return [...fields].map(([field, { text }]) => [code('CreditBudgetError'), code(`budget.${field}`), text])
}
