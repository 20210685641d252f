import { type Address, go, useAddress } from './address.ts'
import { Chart } from './Chart.tsx'
import { MentionList } from './MentionList.tsx'
import { type Mention, type State, passes, states, useListeners, useMentions } from './mentions.ts'
import { bucketOf, bucketsOf, dayName, isWithin, lastDays } from './period.ts'
import { Failure } from './status.tsx'

const days = 28

export function Mentions() {
  const { data, error, refetch } = useMentions()
  return (
    <section className="mentions stack" aria-labelledby="mentions-title">
      <h2 id="mentions-title" tabIndex={-1}>
        Mentions
      </h2>
      {error && <Failure error={error} onRetry={{ price: 0, act: () => void refetch() }} />}
      {!error && <Triage mentions={data} />}
    </section>
  )
}

/** Undefined mentions are still loading: their place is kept, so that nothing jumps. */
function Triage({ mentions }: { mentions: Mention[] | undefined }) {
  const address = useAddress()
  const { at, sort, state = 'new' } = address
  const period = lastDays(days)
  const found = (mentions ?? []).filter(passes(address)).filter((each) => isWithin(each.publishedAt, period))
  const rows = bucketsOf(period, 'days').map((bucket) => {
    const ofDay = found.filter(({ publishedAt }) => bucketOf(publishedAt, 'days') === bucket)
    return { bucket, values: states.map((state) => ofDay.filter((each) => each.state === state).length) }
  })
  const ofDay = found.filter(({ publishedAt }) => !at || bucketOf(publishedAt, 'days') === at)
  return (
    <>
      <Filters address={address} mentions={mentions ?? []} />
      <div className="triage">
        {mentions ? (
          // Other filters begin again: a mention that was marked then leaves the list.
          <MentionList
            key={JSON.stringify([address['network'], address['listener'], address['fit'], sort, at])}
            found={sort === 'fit' ? ofDay.toSorted(byFit) : ofDay}
            title={at ? dayName(at) : `The last ${days} days`}
            isUnseenOnly={state === 'new'}
          />
        ) : (
          <div className="card ghost tall" role="status" aria-label="Loading mentions" />
        )}
        <div className="card stack">
          <p>
            <span className="figure">{mentions ? found.length : '…'}</span> in {days} days
          </p>
          <Chart
            rows={rows}
            series={states.map((name) => ({ name: nameOfState(name), color: `var(--${name})` }))}
            nameOf={dayName}
            selected={at}
            onSelect={(bucket) => go({ at: bucket === at ? '' : bucket })}
            isStacked
          />
        </div>
      </div>
    </>
  )
}

const byFit = (a: Mention, b: Mention) => (b.fitScore ?? 0) - (a.fitScore ?? 0)

export const nameOfState = (state: State) => (state === 'new' ? 'unseen' : state)

function Filters({ address, mentions }: { address: Address; mentions: Mention[] }) {
  const { data: listeners = [] } = useListeners()
  const networks = [...new Set(mentions.map(({ network }) => network))].sort()
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
      {(hasScores || mentions.length === 0) && (
        <Filter
          {...{ name: 'fit', label: 'Fit', any: 'Any fit', address }}
          options={[
            ['50', 'Fit of 50 or more'],
            ['80', 'Fit of 80 or more'],
          ]}
        />
      )}
      <Filter
        {...{ name: 'sort', label: 'Order', any: 'Newest first', address }}
        options={[['fit', 'Best fit first']]}
      />
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
