import { go } from './address.ts'
import { Chart } from './Chart.tsx'
import { figure, isolated, plural } from './headline.ts'
import { MentionList } from './MentionList.tsx'
import { NoMentions, few, nameOfRecent } from './Mentions.tsx'
import { leaderIn, ofDay, useCounts, useListeners, useMentions, useRecent } from './mentions.ts'
import { today } from './period.ts'

/** What is new, for free: a sentence, four weeks by day, what each listener found, and the newest unseen mentions. */
export function Today() {
  const list = useMentions({ state: 'new' })
  const [unseen = null, all = null, ofToday = null] = useCounts([
    { state: 'new' },
    {},
    { state: 'new', ...ofDay(today()) },
  ])
  const { total, rows, listeners } = useRecent({}, useListeners())
  const now = rows.at(-1)!.values[0]
  if (all === null || total === null || now == null || all === 0) return <NoMentions all={all} list={list} />

  const leader = leaderIn(listeners)
  // The day in the middle: one of many mentions says nothing about the others.
  const whole = rows.slice(0, -1).flatMap(({ values: [count] }) => count ?? [])
  const usual = whole.toSorted((a, b) => a - b)[Math.floor(whole.length / 2)] ?? 0
  const isCounted = whole.length === rows.length - 1
  return (
    <section className="stack today" aria-labelledby="today-title">
      <h2 id="today-title" className="headline" tabIndex={-1}>
        {now === 0 ? 'No mentions' : plural(now, 'mention')} today
        {now > 0 && `, ${figure(ofToday)} unseen`}
      </h2>
      <p className="usual quiet">
        {leader && now > 1 && `${figure(leader.ofToday!)} for ${isolated(leader.name)}. `}
        {!isCounted
          ? ''
          : usual > 0
            ? `A usual day ends with ${figure(usual)} (median).`
            : `${figure(total)} in 28 days, seen or not.`}
      </p>
      <div className="overview">
        {total >= few && (
          <Chart
            {...{ rows, unit: 'days', series: [nameOfRecent(total)] }}
            onSelect={(at) => go({ tab: 'mentions', at, state: 'all' })}
          />
        )}
        {total > 0 && list.mentions && (
          <section className="listeners" aria-labelledby="listeners-title">
            <h3 id="listeners-title">By listener in 28 days, seen or not</h3>
            <ul>
              {listeners
                .toSorted((a, b) => (b.count ?? 0) - (a.count ?? 0))
                .map(({ id, name, count }) => (
                  <li key={id}>
                    <button onClick={() => go({ tab: 'mentions', listener: id, at: '' })}>
                      <bdi>{name}</bdi>
                    </button>
                    <span className="meter" aria-hidden="true">
                      <i className="bar" style={{ width: `${(100 * (count ?? 0)) / total}%` }} />
                    </span>
                    <span>{figure(count)}</span>
                    <span className="quiet">
                      {count === null || total < few ? '' : `${Math.round((100 * count) / total)}%`}
                    </span>
                  </li>
                ))}
            </ul>
          </section>
        )}
      </div>
      <MentionList
        {...{ list, few: 8 }}
        title={`${figure(unseen)} unseen, any age`}
        empty="Everything is seen."
      >
        <button onClick={() => go({ tab: 'mentions', at: '' })}>
          See all<span className="hidden"> {figure(all)} mentions</span>
        </button>
      </MentionList>
    </section>
  )
}
