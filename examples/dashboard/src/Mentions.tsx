import { type Address, go, goToSearch, useAddress } from './address.ts'
import { Chart } from './Chart.tsx'
import { type Option, Select } from './controls.tsx'
import { bucketsIn, days, fewMentions, isIn, latest, period } from './daily.ts'
import { CoverageNote, exact } from './figures.tsx'
import { isolated } from './headline.ts'
import { MentionList, aboutFit } from './MentionList.tsx'
import { type Mention, isUnseen, useCovered, useListeners } from './mentions.ts'
import { bucketName, dayName, unitFor } from './period.ts'
import { Empty, Failure, Offline } from './status.tsx'

export function Mentions() {
  const address = useAddress()
  const { at, by, sort, state = 'new', network, listener, fit } = address
  const { covered, all, ...status } = useCovered(address)
  if (!covered || all.length === 0) return <NoMentions covered={covered} {...status} />
  const { found, total, unseen } = covered
  const unit = unitFor(period(), by, latest(covered).length / (days + 1))
  const buckets = bucketsIn(covered, unit)
  // With less than today and two whole days before, or with few mentions, a chart shows nothing.
  const hasChart = all.length >= fewMentions && (covered.from === -Infinity || buckets.length >= 3)
  const sum = (of: 'count' | 'unseen') => exact(buckets.reduce((total, bucket) => total + bucket[of], 0))
  const ofBucket = at ? found.filter(isIn(at, unit)) : found
  const isUnseenOnly = state === 'new'
  const here = found.filter(isUnseen).length
  return (
    <section className="stack" aria-labelledby="mentions-title">
      <div>
        <h2 id="mentions-title" className="headline" tabIndex={-1}>
          {total === 0
            ? 'No mentions like these'
            : `${unseen === null ? `More than ${exact(here)}` : exact(unseen)} of ${total === null ? `more than ${exact(found.length)}` : exact(total)} mentions unseen`}
        </h2>
        <p className="quiet">Posts that your listeners found. {hasScores(all) && aboutFit}</p>
        <CoverageNote covered={covered} more={status.more} />
      </div>
      {all.length >= fewMentions && <Filters address={address} mentions={all} />}
      {hasChart && (
        <div className="card flat">
          <h3>
            Since {dayName(buckets[0]!.bucket)}: {sum('unseen')} unseen of {sum('count')}
          </h3>
          <Chart
            rows={buckets.map(({ bucket, count, unseen }) => ({ bucket, values: [unseen, count - unseen] }))}
            series={['unseen', 'seen']}
            unit={unit}
            selected={at}
            onSelect={(bucket) => go({ at: bucket === at ? '' : bucket, by: unit })}
            isStacked
          />
        </div>
      )}
      <MentionList
        // Other filters begin again: a mention that was marked then leaves the list.
        key={JSON.stringify([network, listener, fit, sort, at, state])}
        found={sort === 'fit' ? ofBucket.toSorted(byFit) : ofBucket}
        few={25}
        hasMore
        title={at ? bucketName(at, unit) : isUnseenOnly ? 'Unseen' : 'All'}
        empty="Nothing here is unseen."
        isUnseenOnly={isUnseenOnly}
      >
        {at && <button onClick={() => go({ at: '' })}>All {unit}</button>}
        <button onClick={() => go({ state: isUnseenOnly ? 'all' : '' }, { replace: true })}>
          {isUnseenOnly ? 'Show seen ones too' : 'Show unseen only'}
        </button>
      </MentionList>
      {ofBucket.length > 0 && (
        <p className="keys quiet">
          <kbd>j</kbd> next, <kbd>k</kbd> previous, <kbd>s</kbd> seen, <kbd>e</kbd> done
        </p>
      )}
    </section>
  )
}

/** Stands in place of mentions: while they load, if that fails, or if there are none. */
export function NoMentions(status: Omit<ReturnType<typeof useCovered>, 'all' | 'more'>) {
  const { covered, error, isPaused, refetch } = status
  const names = useListeners().map(({ name }) => isolated(name))
  if (error) return <Failure error={error} onRetry={{ price: 0, act: () => void refetch() }} />
  if (isPaused) return <Offline />
  if (!covered) return <p role="status">Loading mentions…</p>
  return (
    <Empty title="No mentions yet">
      <p>Your listeners have found nothing yet. What they find shows here, for free.</p>
      {names.length > 0 && <p className="quiet">Listening for {names.join(', ')}.</p>}
      <button onClick={goToSearch}>Search posts now</button>
    </Empty>
  )
}

export const byFit = (a: Mention, b: Mention) => (b.fitScore ?? -1) - (a.fitScore ?? -1)

export const hasScores = (mentions: Mention[]) => mentions.some(({ fitScore }) => fitScore !== undefined)

function Filters({ address, mentions }: { address: Address; mentions: Mention[] }) {
  const names = new Set(mentions.flatMap(({ network }) => network ?? []))
  const networks = [...names].sort().map((name): Option => [name, name])
  const used = new Set(mentions.map(({ listenerId }) => listenerId))
  const listeners = useListeners().flatMap(({ id, name }) => (used.has(id) ? [[id, name] as const] : []))
  const filter = (name: string, label: string, any: string, options: Option[]) => (
    <Select
      {...{ label, value: address[name] ?? '', options: [['', any], ...options] }}
      onChange={(value) => go({ [name]: value }, { replace: true })}
    />
  )
  return (
    <div className="filters inbox-filters row quiet">
      {filter('network', 'Network', 'Any network', networks)}
      {filter('listener', 'Listener', 'Any listener', listeners)}
      {hasScores(mentions) &&
        filter('fit', 'Fit', 'Any fit', [
          ['50', 'Fit of 50 or more'],
          ['80', 'Fit of 80 or more'],
        ])}
      {hasScores(mentions) && filter('sort', 'Order', 'Newest first', [['fit', 'Best fit first']])}
    </div>
  )
}
