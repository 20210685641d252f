import { go } from './address.ts'
import { changeOf, leadOf, leaderOf } from './compare.ts'
import { comparable, fewPosts } from './headline.ts'
import type { Metric, Numbers, Result } from './measure.ts'
import { Swatch } from './status.tsx'

export const names = { posts: 'Posts', views: 'Views', engagement: 'Engagement', authors: 'Authors' }

interface Props {
  results: Result[]
  /** Null while posts are missing. */
  now: (Numbers | null)[]
  then: (Numbers | null)[]
  /** What the chart shows. */
  metric: Metric
  metrics: readonly Metric[]
}

/** The numbers of each search, and who leads. A press on the name of a row shows it in the chart. */
export function Summary({ results, now, then, metric, metrics }: Props) {
  const isPair = results.length > 1
  const isMany = now.every((numbers) => numbers !== null && numbers.posts >= fewPosts)
  const row = (name: Metric) => {
    const figures = comparable(now.map((numbers) => numbers?.[name] ?? 0))
    return (
      <tr key={name}>
        <th scope="row">
          <button aria-pressed={name === metric} onClick={() => go({ metric: name }, { replace: true })}>
            {names[name]}
          </button>
        </th>
        {now.map((numbers, i) => (
          <td key={i}>
            <span className="figure">{numbers ? figures[i] : '–'}</span>
            <Change {...{ name, now: numbers, then: then[i] ?? null }} />
          </td>
        ))}
        {isPair && (
          <td className="quiet">
            {isMany && <Lead results={results} numbers={now.map((numbers) => numbers![name])} />}
          </td>
        )}
      </tr>
    )
  }
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
                <Swatch index={i} /> <bdi>{query}</bdi>
              </th>
            ))}
            {isPair && <th scope="col">Leads</th>}
          </tr>
        </thead>
        <tbody>{metrics.map(row)}</tbody>
      </table>
    </div>
  )
}

function Lead({ results, numbers }: { results: Result[]; numbers: number[] }) {
  const leader = leaderOf(numbers)
  if (leader === null) return numbers[0] === numbers[1] ? 'level' : 'about level'
  return (
    <>
      <Swatch index={leader} /> <span className="hidden">{results[leader]!.query} </span>
      {leadOf(numbers)}
    </>
  )
}

/** How a number has changed, unless too few posts make it. */
function Change({ name, now, then }: { name: Metric; now: Numbers | null; then: Numbers | null }) {
  const isMany = now && then && now.posts >= fewPosts && then.posts >= fewPosts
  const change = isMany ? changeOf(now[name], then[name]) : null
  const [arrow, word] = change?.sign === 1 ? ['▲', 'up'] : change?.sign === -1 ? ['▼', 'down'] : ['', '']
  return (
    <span className="change quiet">
      {arrow && <span aria-hidden="true">{arrow} </span>}
      {word && <span className="hidden">{word} </span>}
      {change?.text ?? ''}
    </span>
  )
}
