/**
 * Compares a service's description with the contract of this package. Exit code 0 without differences, 1 with
 * differences, 2 if the comparison failed. Newly documented shapes are listed, but do not count as differences.
 */
import { parseArgs } from 'node:util'
import { SocialSearch } from '../src/client.ts'
import { count } from '../src/lib/count.ts'
import { type Difference, compareContract } from './contract/compare.ts'

/** Maximum characters shown of a line. */
const maxShown = 160

const failed = 2

try {
  const { baseUrl, apiKey } = readSettings()
  const description = await new SocialSearch({ baseUrl, apiKey }).openapi()
  const differences = compareContract(description)
  // A description or error message must not make this program print its key.
  console.log(report(differences).replaceAll(apiKey, '[redacted]'))
  process.exitCode = differences.some(({ isNews }) => !isNews) ? 1 : 0
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

function report(differences: readonly Difference[]): string {
  const groups = Map.groupBy(differences, ({ operation }) => operation ?? 'The service')
  const sections = [...groups].map(([name, members]) => [name, ...members.map(line)].join('\n'))
  const news = differences.filter(({ isNews }) => isNews).length
  const breakages = differences.length - news
  const summary = breakages === 0 ? 'No differences' : count(breakages, 'difference')
  return [...sections, news === 0 ? summary : `${summary}; ${count(news, 'part')} now documented`].join(
    '\n\n',
  )
}

function line({ path, assumed, published, isNews }: Difference): string {
  if (isNews) return plain(`  ${path}: now documented, ${published}`)
  if (published === undefined) return plain(`  ${path}: not in the description`)
  if (assumed === undefined) return plain(`  ${path}: only in the description`)
  return plain(`  ${path}: ${published} in the description, ${assumed} here`)
}

/** Without control characters, which could change the terminal. */
function plain(text: string): string {
  const line = text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ')
  return line.length > maxShown ? `${line.slice(0, maxShown)}…` : line
}
