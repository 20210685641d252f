import { UsageError } from './command-errors.ts'

/** `--account` of the command that runs. */
let chosen: string | undefined

/** @param name `--account`, if it is there. */
export function chooseAccount(name: string | undefined): void {
  chosen = name
}

/**
 * The account whose login and budget a command uses: `--account`, or else `SOCIAL_SEARCH_ACCOUNT`. Undefined for the default one.
 *
 * @throws {UsageError} for what is no name, or if the environment has a key as well: nobody could tell which one is charged.
 */
export function accountName(): string | undefined {
  const { SOCIAL_SEARCH_ACCOUNT: ofEnvironment, SOCIAL_SEARCH_API_KEY: key } = process.env
  const name = chosen ?? (ofEnvironment || 'default')
  if (name === 'default') return undefined
  // It names a file, also where case does not matter.
  if (!/^[a-z\d][a-z\d_-]{0,39}$/.test(name))
    throw new UsageError(`an account is a name of lower-case letters, digits, - and _, got ${name}`)
  if (chosen === undefined && key)
    throw new UsageError('SOCIAL_SEARCH_ACCOUNT and SOCIAL_SEARCH_API_KEY are both set; unset one of them')
  return name
}

/** What a command that is suggested needs, so that it is about the same account. */
export function accountFlag(): string {
  const name = accountName()
  return name === undefined ? '' : ` --account ${name}`
}
