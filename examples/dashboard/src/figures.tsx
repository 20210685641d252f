import type { Covered } from './mentions.ts'

export const exact = (count: number) => count.toLocaleString('en')

const time = new Intl.DateTimeFormat('en', {
  ...{ month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit', timeZone: 'UTC' },
})
export const sinceName = (from: number) => `since ${time.format(from)} UTC`

/** Says what the mentions leave out; empty if they are all. */
function coverageOf({ from, found }: Covered): string {
  if (from === -Infinity) return ''
  return `Only the newest ${exact(found.length)} are loaded${from === Infinity ? '' : `, ${sinceName(from)}`}`
}

export const CoverageNote = ({ covered }: { covered: Covered }) => (
  <p className="quiet">{coverageOf(covered) && `${coverageOf(covered)}: list and chart show these.`}</p>
)

/** A number with its name above, and what to compare it with below. */
export const Figure = ({ name, value, note }: { name: string; value: string; note: string }) => (
  <div className="card fact">
    <dt className="quiet">{name}</dt>
    <dd className="figure">{value}</dd>
    <dd className="quiet">{note}</dd>
  </div>
)
