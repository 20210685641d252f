import { type CalledFunction, functionsCalled } from './coverage.ts'
import type { Scenarios } from './figures.ts'
import { inOrderOfCall } from './order.ts'

/**
 * Prints the functions of a search in the order of their first call, and those that a 429 and a failed page add. A return is a
 * stay in a file that was left before.
 */
export async function printPaths(folder: URL, scenarios: Scenarios): Promise<void> {
  const known = new Set<string>()
  for (const [name, run] of Object.entries(scenarios) as [keyof Scenarios, () => Promise<void>][]) {
    const called = await functionsCalled(folder, run)
    const added = called.filter((each) => !known.has(keyOf(each)))
    for (const each of called) known.add(keyOf(each))
    const stays = lines(await inOrderOfCall(folder, added, run))
    const files = new Set(stays.map((line) => line.split(':')[0])).size
    console.log(`\n${titles[name]}: ${stays.length} stays in ${files} files, ${stays.length - files} returns`)
    for (const line of stays) console.log(`  ${line}`)
  }
}

const titles: Record<keyof Scenarios, string> = {
  search: 'A search',
  searchAfter429: 'A search after a 429, besides',
  failedPage: 'A walk whose second page fails, besides',
}

const keyOf = ({ file, offset }: CalledFunction): string => `${file} ${offset}`

/** One line for each stay in a file. Callbacks without a name are left out. */
function lines(called: readonly CalledFunction[]): string[] {
  const stays: { file: string; names: string[] }[] = []
  for (const { file, name } of called.filter(({ name }) => name !== '')) {
    const latest = stays.at(-1)
    if (latest?.file === file) latest.names.push(name)
    else stays.push({ file, names: [name] })
  }
  return stays.map(({ file, names }) => `${file}: ${[...new Set(names)].join(', ')}`)
}
