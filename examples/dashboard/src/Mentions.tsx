import { retryFree } from './api.ts'
import { type Address, go, useAddress } from './address.ts'
import { Chart } from './Chart.tsx'
import { type Option, Select } from './controls.tsx'
import { useIsLost } from './Credits.tsx'
import { figure, isolated, plural } from './headline.ts'
import { MentionList } from './MentionList.tsx'
import {
  type Filters,
  ofDay,
  useCountError,
  useCounts,
  useListeners,
  useMentions,
  useRecent,
} from './mentions.ts'
import { networkNames } from './networks.ts'
import { dayName } from './period.ts'
import { Empty, Failure, Notice } from './status.tsx'

/** Fewer make no filter, no chart and no mean. */
export const few = 10
export const nameOfRecent = (total: number | null) =>
  `${total === null ? '–' : figure(total)} in 28\u00a0days`

export function Mentions() {
  const address = useAddress()
  const { at, sort, state = 'new', network, listener } = address
  const filters: Filters = { ...(network && { network }), ...(listener && { listenerId: listener }) }
  const shown = { ...filters, ...(at && ofDay(at)) }
  const isUnseenOnly = state === 'new'
  const list = useMentions({ ...shown, ...(isUnseenOnly && { state }), ...(sort && { sort }) })
  const [unseen = null, total = null, all = null] = useCounts([{ ...shown, state: 'new' }, shown, {}])
  const recent = useRecent(filters)
  if (all === null || all === 0) return <NoMentions all={all} list={list} />
  return (
    <section className="stack" aria-labelledby="mentions-title">
      <h2 id="mentions-title" className="headline" tabIndex={-1}>
        {total === 0
          ? 'No mentions like these'
          : `${unseen === null ? '–' : figure(unseen)} of ${total === null ? '– mentions' : plural(total, 'mention')} unseen`}
        {at && `, ${dayName(at)}`}
      </h2>
      {all >= few && <ListFilters address={address} />}
      {all >= few && (
        <div className="flat">
          <Chart
            {...{ rows: recent.rows, unit: 'days', selected: at, series: [nameOfRecent(recent.total)] }}
            onSelect={(day) => go({ at: day === at ? '' : day }, { replace: true })}
          />
        </div>
      )}
      <MentionList
        // Other filters begin again: a mention that was marked then leaves the list.
        key={JSON.stringify([network, listener, sort, at, state])}
        list={list}
        empty="Nothing here is unseen."
      >
        <Select
          {...{ label: 'State', value: isUnseenOnly ? '' : 'all' }}
          options={[
            ['', 'Unseen only'],
            ['all', 'Seen and unseen'],
          ]}
          onChange={(state) => go({ state }, { replace: true })}
        />
        {at && <button onClick={() => go({ at: '' })}>All days</button>}
      </MentionList>
    </section>
  )
}

interface NoMentionsProps {
  /** How many there are; null if nobody knows. */
  all: number | null
  list: ReturnType<typeof useMentions>
}

/** Stands in place of mentions: while they load, if that fails, or if there are none. */
export function NoMentions({ all, list: { error: listError, isPaused } }: NoMentionsProps) {
  const error = useCountError() ?? listError
  const isLost = useIsLost()
  const names = useListeners().map(({ name }) => isolated(name))
  if (isLost)
    return (
      <Empty title="No answer from the server">
        <p className="lost">Nothing was charged. Mentions load by themselves when the server answers.</p>
        <button onClick={retryFree}>Retry now</button>
      </Empty>
    )
  if (error) return <Failure error={error} onRetry={retryFree} />
  if (isPaused) return <Notice title="You are offline.">This loads when you are online again.</Notice>
  if (all === null) return <p role="status">Loading mentions…</p>
  return (
    <Empty title="No mentions yet">
      <p>Your listeners have found nothing yet. What they find shows here, for free.</p>
      {names.length > 0 && <p className="quiet">Listening for {names.join(', ')}.</p>}
    </Empty>
  )
}

function ListFilters({ address }: { address: Address }) {
  const listeners = useListeners().map(({ id, name }): Option => [id, name])
  const filter = (name: string, label: string, options: Option[]) => (
    <Select
      {...{ label, value: address[name] ?? '', options }}
      onChange={(value) => go({ [name]: value }, { replace: true })}
    />
  )
  return (
    <div className="filters inbox-filters row quiet">
      {filter('network', 'Network', [['', 'Any network'], ...Object.entries(networkNames)])}
      {filter('listener', 'Listener', [['', 'Any listener'], ...listeners])}
      {filter('sort', 'Order', [
        ['', 'Newest first'],
        ['fitScore', 'Best fit first'],
      ])}
    </div>
  )
}
