import { type Address, go, useAddress } from './address.ts'
import { Chart } from './Chart.tsx'
import { dailyOf, isOn } from './daily.ts'
import { CoverageNote, exact } from './figures.tsx'
import { MentionList } from './MentionList.tsx'
import { type Mention, isUnseen, useCovered, useListeners } from './mentions.ts'
import { dayName } from './period.ts'
import { Failure } from './status.tsx'

export function Mentions() {
  const address = useAddress()
  const { at, sort, state = 'new', network, listener, fit } = address
  const { covered, all, error, refetch } = useCovered(address)
  if (error) return <Failure error={error} onRetry={{ price: 0, act: () => void refetch() }} />
  if (!covered) return <div className="card ghost tall" role="status" aria-label="Loading mentions" />
  if (all.length === 0)
    return (
      <>
        <h2 className="headline">No mentions</h2>
        <p>Your listeners have found nothing yet.</p>
      </>
    )
  const { found, total, unseen } = covered
  const ofDay = at ? found.filter(isOn(at)) : found
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
        <CoverageNote covered={covered} />
      </div>
      <Filters address={address} mentions={all} />
      <div className="card flat">
        <Chart
          rows={dailyOf(covered).map(({ day, count, unseen }) => ({
            bucket: day,
            values: count === null || unseen === null ? [null, null] : [unseen, count - unseen],
          }))}
          series={['unseen', 'others']}
          noun="mentions"
          nameOf={dayName}
          selected={at}
          onSelect={(day) => go({ at: day === at ? '' : day })}
          isStacked
        />
      </div>
      <MentionList
        // Other filters begin again: a mention that was marked then leaves the list.
        key={JSON.stringify([network, listener, fit, sort, at, state])}
        found={sort === 'fit' ? ofDay.toSorted(byFit) : ofDay}
        few={25}
        hasMore
        title={at ? dayName(at) : isUnseenOnly ? 'Unseen' : 'All'}
        empty="Nothing here is unseen."
        isUnseenOnly={isUnseenOnly}
      >
        {at && <button onClick={() => go({ at: '' })}>All days</button>}
        <button onClick={() => go({ state: isUnseenOnly ? 'all' : '' }, { replace: true })}>
          {isUnseenOnly ? 'Show seen ones too' : 'Show unseen only'}
        </button>
      </MentionList>
      {ofDay.length > 0 && (
        <p className="keys quiet">
          <kbd>j</kbd> next, <kbd>k</kbd> previous, <kbd>s</kbd> seen, <kbd>e</kbd> done
        </p>
      )}
    </section>
  )
}

export const byFit = (a: Mention, b: Mention) => (b.fitScore ?? -1) - (a.fitScore ?? -1)

function Filters({ address, mentions }: { address: Address; mentions: Mention[] }) {
  const listeners = useListeners()
  const networks = [...new Set(mentions.flatMap(({ network }) => network ?? []))].sort()
  const used = new Set(mentions.map(({ listenerId }) => listenerId))
  const hasScores = mentions.some(({ fitScore }) => fitScore !== undefined)
  return (
    <div className="filters row quiet">
      <Filter
        {...{ name: 'network', label: 'Network', any: 'Any network', address }}
        options={networks.map((network) => [network, network])}
      />
      <Filter
        {...{ name: 'listener', label: 'Listener', any: 'Any listener', address }}
        options={listeners.filter(({ id }) => used.has(id)).map(({ id, name }) => [id, name])}
      />
      {hasScores && (
        <>
          <Filter
            {...{ name: 'fit', label: 'Fit', any: 'Any fit', address }}
            options={[
              ['50', 'Fit of 50 or more'],
              ['80', 'Fit of 80 or more'],
            ]}
          />
          <Filter
            {...{ name: 'sort', label: 'Order', any: 'Newest first', address }}
            options={[['fit', 'Best fit first']]}
          />
        </>
      )}
    </div>
  )
}

interface FilterProps {
  name: string
  label: string
  any: string
  address: Address
  options: [value: string, text: string][]
}

const Filter = ({ name, label, any, address, options }: FilterProps) => (
  <select
    aria-label={label}
    value={address[name] ?? ''}
    onChange={(event) => go({ [name]: event.target.value }, { replace: true })}
  >
    <option value="">{any}</option>
    {options.map(([value, text]) => (
      <option key={value} value={value}>
        {text}
      </option>
    ))}
  </select>
)
