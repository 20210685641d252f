import { go } from './address.ts'
import { dailyOf, days, meanOf, ofToday, spikeOf } from './daily.ts'
import { CoverageNote, Figure, exact } from './figures.tsx'
import { MentionList } from './MentionList.tsx'
import { byFit } from './Mentions.tsx'
import { type Covered, isUnseen, useCovered, useListeners } from './mentions.ts'
import { dayName, startOf, today } from './period.ts'
import { Failure } from './status.tsx'

/** Fewer make no ratio. */
const fewMentions = 5

/** What is new, for free: figures, the unseen mentions that fit best, and what each listener found. */
export function Today() {
  const { covered, error, refetch } = useCovered()
  if (error) return <Failure error={error} onRetry={{ price: 0, act: () => void refetch() }} />
  if (!covered) return <div className="card ghost tall" role="status" aria-label="Loading mentions" />
  const { found, total, unseen } = covered
  const daily = dailyOf(covered)
  const { mean, of } = meanOf(daily)
  const spike = spikeOf(daily)
  const now = ofToday(covered)
  const isNowPartial = covered.from > startOf(today())
  const hasScores = found.some(({ fitScore }) => fitScore !== undefined)
  const here = found.filter(isUnseen).length
  return (
    <section className="stack" aria-labelledby="today-title">
      <div className="row">
        <h2 id="today-title" tabIndex={-1}>
          Today, {dayName(today())}
        </h2>
        <CoverageNote covered={covered} />
      </div>
      <dl className="facts">
        <Figure
          name="Unseen mentions"
          value={unseen === null ? `${exact(here)}+` : exact(unseen)}
          note={`of ${total === null ? `more than ${exact(found.length)}` : exact(total)}`}
        />
        <Figure
          name="Mentions today"
          value={isNowPartial ? `${exact(now)}+` : exact(now)}
          note={
            mean === null
              ? 'no full day is loaded to compare with'
              : `${exact(Math.round(10 * mean) / 10)} a day on average in ${of === days ? 'four weeks' : `the last ${of} days`}`
          }
        />
        <Figure
          name="Largest spike"
          value={spike ? `${exact(spike.count)} on ${dayName(spike.day)}` : '–'}
          note={
            spike && mean && spike.count >= fewMentions
              ? `${Math.round((10 * spike.count) / mean) / 10}× an average day`
              : spike
                ? 'mentions that day'
                : 'no full day is loaded'
          }
        />
      </dl>
      <MentionList
        found={hasScores ? found.toSorted(byFit) : found}
        few={5}
        title={hasScores ? 'Unseen, best fit first' : 'Unseen, newest first'}
        empty={found.length > 0 ? 'You have seen everything.' : 'Your listeners have found nothing yet.'}
        isUnseenOnly
      >
        <button onClick={() => go({ tab: 'mentions', at: '' })}>All mentions</button>
      </MentionList>
      {found.length > 0 && <Listeners covered={covered} />}
    </section>
  )
}

/** What each listener found, of what is loaded. */
function Listeners({ covered: { found, from } }: { covered: Covered }) {
  const counts = Map.groupBy(found, ({ listenerId }) => listenerId)
  const lines = useListeners()
    .map(({ id, name }) => ({ id, name, count: counts.get(id)?.length ?? 0 }))
    .sort((a, b) => b.count - a.count)
  return (
    <section className="listeners" aria-labelledby="listeners-title">
      <h3 id="listeners-title">
        Listeners{from === -Infinity ? '' : `, of the newest ${exact(found.length)} mentions`}
      </h3>
      <ul>
        {lines.map(({ id, name, count }) => (
          <li key={id} className="row">
            <button onClick={() => go({ tab: 'mentions', listener: id, at: '' })}>
              <bdi>{name}</bdi>
            </button>
            <span className="meter" aria-hidden="true">
              <i className="bar" style={{ width: `${(100 * count) / found.length}%` }} />
            </span>
            <span>{exact(count)}</span>
            <span className="quiet">
              {found.length < fewMentions ? '' : `${Math.round((100 * count) / found.length)}%`}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}
