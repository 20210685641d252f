import type { Fault } from './case.ts'

/** The catalogue as a page for readers. */
export function faultsPage(catalogue: readonly Fault[], seen: ReadonlyMap<number, string>): string {
  const groups = Map.groupBy(catalogue, ({ group }) => group)
  const tables = [...groups].map(([group, faults]) => {
    const rows = faults.map(({ id, name, expected }) => {
      const cells = [String(id), name, expected, seen.get(id) ?? '']
      return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
    })
    return `## ${group}\n\n| # | Fault | What must happen, and why | What was observed |\n|---|---|---|---|\n${rows.join('\n')}\n`
  })
  return `# Faults

Everything that is made to go wrong in \`test/faults\`, and what was seen. \`npm test\` runs all of it and fails where anything else
is seen; \`npm run faults\` runs it alone and writes this page.

Most faults are tried on three calls: a free GET, a metered POST of 2 credits, and a PATCH. \`GET ×3\` says that the server saw
three requests. \`charged\` is what the error says; \`spent\` and \`uncertain\` are what the ledger says. Random waits are set to
nothing, except where their length is shown: there they are half of the longest.

${tables.join('\n')}`
}
