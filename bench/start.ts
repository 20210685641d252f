/** What a program pays before its first call, in child processes: within one, everything is imported but once. */
import { execFileSync } from 'node:child_process'

const client = `import('social-search-sdk').then(({ SocialSearch }) =>
  new SocialSearch({ baseUrl: 'http://localhost/v1', apiKey: 'bench' }))`
const packages = `Promise.all([import('ky'), import('p-retry'), import('p-limit'), import('zod')])`

/** Processor time of a piece of work in a process of its own: other programs disturb it less than they do a clock. */
function cpuOf(work: string): number {
  const code = `const start = process.cpuUsage()
    await ${work}
    const { user, system } = process.cpuUsage(start)
    console.log(user + system)`
  const args = ['--input-type=module', '--eval', code]
  return Number(execFileSync(process.execPath, args, { cwd: import.meta.dirname, encoding: 'utf8' }))
}

/** The cost of importing the package and making a client, each as a multiple of importing what it is built on. */
export function startRatios(rounds: number): number[] {
  return Array.from({ length: rounds }, () => cpuOf(client) / cpuOf(packages))
}
