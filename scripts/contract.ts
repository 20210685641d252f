/**
 * Compares a service's description with the contract of this package. Exit code 0 without differences, 1 with
 * differences, 2 if the comparison failed. Newly documented shapes are listed, but do not count as differences.
 */
import { parseArgs } from 'node:util'
import { SocialSearch } from '../src/client.ts'
import { isBreakage } from '../src/extensions/contract/difference.ts'
import { type ContractDifference, compareContract } from '../src/extensions/contract/index.ts'
import { count } from '../src/lib/count.ts'
import { isRecord } from '../src/lib/is-record.ts'

/** Maximum characters shown of a value. */
const maxShown = 120

const failed = 2

try {
  const { baseUrl, apiKey } = readSettings()
  const description = await new SocialSearch({ baseUrl, apiKey }).openapi()
  const differences = compareContract(description)
  // A description or error message must not make this program print its key.
  console.log(report(differences).replaceAll(apiKey, '[redacted]'))
  process.exitCode = differences.some(isBreakage) ? 1 : 0
} catch (error) {
  console.error(`contract: ${error instanceof Error ? error.message : String(error)}`)
  process.exitCode = failed
}

/** Reads the base URL from `--base-url`, and the key from the environment: other users can see arguments. */
function readSettings(): { baseUrl: string; apiKey: string } {
  const { values } = parseArgs({ options: { 'base-url': { type: 'string' } } })
  const baseUrl = values['base-url'] ?? process.env['SOCIAL_SEARCH_BASE_URL']
  const apiKey = process.env['SOCIAL_SEARCH_API_KEY']
  if (!baseUrl) throw new Error('the option --base-url is missing: npm run contract -- --base-url URL')
  if (!apiKey) throw new Error('the environment variable SOCIAL_SEARCH_API_KEY is not set')
  return { baseUrl, apiKey }
}

function report(differences: readonly ContractDifference[]): string {
  const groups = Map.groupBy(differences, ({ operation }) => operation ?? 'The service')
  const sections = [...groups].map(([name, members]) => [name, ...members.map(line)].join('\n'))
  const breakages = differences.filter(isBreakage).length
  const news = differences.length - breakages
  const summary = breakages === 0 ? 'No differences' : count(breakages, 'difference')
  return [...sections, news === 0 ? summary : `${summary}; ${count(news, 'shape')} now documented`].join(
    '\n\n',
  )
}

function line(difference: ContractDifference): string {
  return `  ${plain(difference.path)}: ${describe(difference)}`
}

function describe({ kind, assumed, published }: ContractDifference): string {
  switch (kind) {
    case 'operation_missing':
    case 'field_missing':
      return 'not in the description'
    case 'operation_unknown':
    case 'field_unknown':
      return 'only in the description'
    case 'unreadable':
      return `cannot be compared, ${show(published)}`
    case 'shape_documented':
      return `now documented; not typed in this SDK yet: ${show(published)}`
    case 'error_status':
      return published === true ? 'only in the description' : 'not in the description'
    case 'required':
      return published === true
        ? 'required in the description, optional here'
        : 'optional in the description, required here'
    case 'extra_fields':
      return published === true
        ? 'open in the description, closed here'
        : 'closed in the description, open here'
    default:
      return `${kind} ${show(published)} in the description, ${show(assumed)} here`.replace(
        /^bound |^credit_rate /,
        '',
      )
  }
}

/** A value in a few words, without control characters that could change the terminal. */
function show(value: unknown): string {
  if (value === null) return 'nothing'
  const list: unknown[] = Array.isArray(value) ? value : [value]
  const text = list
    .map((each) => (isRecord(each) || Array.isArray(each) ? 'a schema' : String(each)))
    .join(', ')
  return plain(text)
}

function plain(text: string): string {
  const line = text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ')
  return line.length > maxShown ? `${line.slice(0, maxShown)}…` : line
}
