import { go } from './address.ts'
import { bucketsIn, days, fewMentions, latest, meanOf, ofToday, period, spikeOf } from './daily.ts'
import { CoverageNote, Figure, exact } from './figures.tsx'
import { MentionList, aboutFit } from './MentionList.tsx'
import { NoMentions, byFit, hasScores } from './Mentions.tsx'
import { type Covered, isUnseen, useCovered, useListeners } from './mentions.ts'
import { dayName, startOf, today } from './period.ts'

const rounded = (value: number) => exact(Math.round(10 * value) / 10)

/** What is new, for free: figures, the unseen mentions that fit best, and what each listener found. */
export function Today() {
  const { covered, all, ...status } = useCovered()
  if (!covered || all.length === 0) return <NoMentions covered={covered} {...status} />
  const { found, total, unseen } = covered
  const daily = bucketsIn(covered, 'days')
  const { mean, of } = meanOf(daily)
  const spike = spikeOf(daily)
  const now = ofToday(covered)
  const isScored = hasScores(found)
  return (
    <section className="stack" aria-labelledby="today-title">
      <div>
        <h2 id="today-title" tabIndex={-1}>
          Today, {dayName(today())}
        </h2>
        <p className="quiet">Posts that your listeners found, for free. {isScored && aboutFit}</p>
        <CoverageNote covered={covered} more={status.more} />
      </div>
      <dl className="facts">
        <Figure
          name="Unseen mentions"
          value={unseen === null ? `${exact(found.filter(isUnseen).length)}+` : exact(unseen)}
          note={`of ${total === null ? `more than ${exact(found.length)}` : exact(total)}, all time`}
        />
        <Figure
          name="Mentions today"
          value={covered.from > startOf(today()) ? `${exact(now)}+` : exact(now)}
          note={
            mean === null
              ? 'no full day is loaded'
              : `${rounded(mean)} a day in ${of === days ? 'four weeks' : `the last ${of} days`}`
          }
        />
        {spike && spike.count >= fewMentions && (
          <Figure
            name={`Busiest day, ${dayName(spike.bucket)}`}
            value={exact(spike.count)}
            note={mean ? `${rounded(spike.count / mean)}× the average` : 'that day'}
          />
        )}
      </dl>
      <MentionList
        found={isScored ? latest(covered).toSorted(byFit) : latest(covered)}
        few={5}
        title={`${isScored ? 'Best fit' : 'Unseen'} of ${covered.from <= startOf(period().from) ? 'four weeks' : `the newest ${exact(found.length)}`}`}
        empty="Nothing of the last four weeks is unseen."
        isUnseenOnly
      >
        <button onClick={() => go({ tab: 'mentions', at: '' })}>All mentions</button>
      </MentionList>
      <Listeners covered={covered} />
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
        Listeners, {from === -Infinity ? 'all time' : `of the newest ${exact(found.length)} mentions`}
      </h3>
      <ul>
        {lines.map(({ id, name, count }) => (
          <li key={id}>
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
