import { go } from './address.ts'
import { changeOf, leadOf, leaderOf, sharesOf } from './compare.ts'
import { compact } from './headline.ts'
import { type Numbers, type Result, metrics } from './measure.ts'
import { Swatch } from './status.tsx'

export const names = {
  ...{ posts: 'Posts', views: 'Views', engagement: 'Engagement', authors: 'Authors', share: 'Share' },
}

interface Props {
  results: Result[]
  /** Null while posts are missing. */
  now: (Numbers | null)[]
  then: (Numbers | null)[]
  /** What the chart shows. */
  metric: keyof typeof names
}

/** The numbers of each search, and who leads. A press on the name of a row shows it in the chart. */
export function Summary({ results, now, then, metric }: Props) {
  const isPair = results.length > 1
  const isReady = now.every((numbers) => numbers !== null)
  const row = (name: keyof typeof names, values: (string | null)[], lead: number[] | null) => (
    <tr key={name}>
      <th scope="row">
        <button aria-pressed={name === metric} onClick={() => go({ metric: name }, { replace: true })}>
          {names[name]}
        </button>
      </th>
      {values.map((value, i) => (
        <td key={i}>
          <span className="figure">{value ?? '–'}</span>
          {name !== 'share' && <Change now={now[i]?.[name]} then={then[i]?.[name]} />}
        </td>
      ))}
      {isPair && <td className="quiet">{lead && <Lead results={results} numbers={lead} />}</td>}
    </tr>
  )
  const posts = now.map((numbers) => numbers?.posts ?? 0)
  return (
    <div className="card summary">
      <table>
        <thead>
          <tr className="quiet">
            <th scope="col">
              <span className="hidden">Number</span>
            </th>
            {results.map(({ query }, i) => (
              <th key={query} scope="col">
                <Swatch index={i} /> {query}
              </th>
            ))}
            {isPair && <th scope="col">Leads</th>}
          </tr>
        </thead>
        <tbody>
          {metrics.map((name) => {
            const values = now.map((numbers) => numbers && numbers[name])
            return row(
              name,
              values.map((value) => (value === null ? null : compact.format(value))),
              isReady ? (values as number[]) : null,
            )
          })}
          {isPair && row('share', isReady ? sharesOf(posts).map((share) => `${share}%`) : [null, null], null)}
        </tbody>
      </table>
    </div>
  )
}

function Lead({ results, numbers }: { results: Result[]; numbers: number[] }) {
  const leader = leaderOf(numbers)
  if (leader === null) return numbers[0] === numbers[1] ? 'level' : 'too close'
  return (
    <>
      <Swatch index={leader} /> <span className="hidden">{results[leader]!.query} </span>
      {leadOf(numbers)}
    </>
  )
}

function Change({ now, then }: { now: number | undefined; then: number | undefined }) {
  const change = now === undefined || then === undefined ? null : changeOf(now, then)
  const [arrow, word] = change?.sign === 1 ? ['▲', 'up'] : change?.sign === -1 ? ['▼', 'down'] : ['', '']
  return (
    <span className="change quiet">
      {arrow && <span aria-hidden="true">{arrow} </span>}
      {word && change?.text !== 'new' && <span className="hidden">{word} </span>}
      {change?.text ?? ''}
    </span>
  )
}
