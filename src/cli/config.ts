import { join } from 'node:path'
import { profile, profileFolder, profileNames } from './profile.ts'
import { storedLogin } from './stored-login.ts'
import { createTable } from './table.ts'
import { print } from './terminal.ts'

/** Prints the stored logins, without keys and tokens. */
export async function config(): Promise<void> {
  const records = profileNames().flatMap((name) => {
    const file = join(profileFolder(name), 'login.json')
    const login = storedLogin(file)
    if (login === null) return []
    const kind = login.apiKey === undefined ? 'OAuth' : 'key'
    return [{ profile: name ?? null, isUsed: name === profile, baseUrl: login.baseUrl, login: kind, file }]
  })
  const { isTTY, columns } = process.stdout
  const table = createTable(undefined, {
    fields: ['profile', 'isUsed', 'baseUrl', 'login', 'file'],
    width: columns,
  })
  await print(isTTY ? table.page(records) : records.map((each) => `${JSON.stringify(each)}\n`).join(''))
}
