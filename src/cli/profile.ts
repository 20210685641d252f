import { existsSync, readdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

/** The folder of this command in the folder that a variable names, on Windows another one; default in the home folder. */
export function userFolder(onWindows: string, elsewhere: string, inHome: string): string {
  const parent = process.env[process.platform === 'win32' ? onWindows : elsewhere]
  return join(parent || join(homedir(), inHome), 'social-search')
}

/** The folder of the logins. */
const folder = userFolder('APPDATA', 'XDG_CONFIG_HOME', '.config')

/** What a name may be, since it names a folder. */
export const profileName = /^[\w-]{1,64}$/

/** The folder of a profile among the logins, or in another folder; undefined stands for no profile. */
export function profileFolder(name: string | undefined, parent = folder): string {
  return name === undefined ? parent : join(parent, 'profiles', name)
}

/** All profiles that have a folder in another one; undefined stands for no profile. */
export function profileNames(parent: string): (string | undefined)[] {
  const profiles = join(parent, 'profiles')
  return [
    undefined,
    ...(existsSync(profiles) ? readdirSync(profiles).filter((name) => profileName.test(name)) : []),
  ]
}

const options = { profile: { type: 'string' } } as const
const { values } = parseArgs({ args: process.argv.slice(2), options, strict: false })
const given = values.profile ?? process.env['SOCIAL_SEARCH_PROFILE']

/** The profile of this run. It is read here, since files have their paths before the command line is parsed. */
export const profile = typeof given === 'string' && profileName.test(given) ? given : undefined
