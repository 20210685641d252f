import { homedir } from 'node:os'
import { join } from 'node:path'

/** The folder of this command in the folder that a variable names, on Windows another one; default in the home folder. */
export function userFolder(onWindows: string, elsewhere: string, inHome: string): string {
  const parent = process.env[process.platform === 'win32' ? onWindows : elsewhere]
  return join(parent || join(homedir(), inHome), 'social-search')
}
