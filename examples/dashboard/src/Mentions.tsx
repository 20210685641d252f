import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { loadAgain } from './api.ts'
import { type Address, go, goToSearch, useAddress } from './address.ts'
import { Chart } from './Chart.tsx'
import { Choice, type Option, Select } from './controls.tsx'
import { useIsLost } from './Credits.tsx'
import { figure, isolated, plural } from './headline.ts'
import { MentionList } from './MentionList.tsx'
import {
  type Filters,
  ages,
  isDay,
  firstUnseen,
  nameOfAge,
  ofAge,
  useChanges,
  useCountError,
  useCounts,
  useListeners,
  useMentions,
  useRecent,
} from './mentions.ts'
import { networkNames } from './networks.ts'
import { dayName } from './period.ts'
import { Empty, Failure, Notice, focusTitle } from './status.tsx'

/** Fewer make no filter, no chart and no mean. */
export const few = 10
export const nameOfRecent = (total: number | null, which = '') => `${figure(total)}${which} in 28\u00a0days`

const filtersOf = ({ network, listener, fit }: Address): Filters => ({
  ...(network && { network }),
  ...(listener && { listenerId: listener }),
  ...(fit && { minFitScore: Number(fit) }),
})

export function Mentions() {
  const address = useAddress()
  const { at = '', sort, state = 'new' } = address
  const filters = filtersOf(address)
  const shown = { ...filters, ...ofAge(at) }
  const ofState = state === 'new' && { state }
  const list = useMentions({ ...shown, ...ofState, ...(sort && { sort }) })
  const [unseen = null, total = null, all = null] = useCounts([{ ...shown, state: 'new' }, shown, {}])
  const recent = useRecent({ ...filters, ...ofState })
  if (all === null || all === 0) return <NoMentions all={all} list={list} />
  return (
    <section className="stack" aria-labelledby="mentions-title">
      <h2 id="mentions-title" className="headline" tabIndex={-1}>
        {total === 0 ? 'No mentions like these' : `${figure(unseen)} of ${plural(total, 'mention')} unseen`}
        {isDay(at) && `, ${dayName(at)}`}
      </h2>
      <ListFilters isMany={all >= few} />
      {all >= few && (
        <div className="overview">
          <Chart
            {...{
              rows: recent.rows,
              unit: 'days',
              selected: at,
              series: [nameOfRecent(recent.total, ofState ? ' unseen' : '')],
            }}
            onSelect={(day) => go({ at: day === at ? '' : day }, { replace: true })}
          />
        </div>
      )}
      <MentionList
        // Other filters begin again: a mention that was marked then leaves the list.
        key={JSON.stringify(address)}
        list={list}
        empty="Nothing here is unseen."
      >
        {Boolean(unseen) && <MarkAll {...{ filters: shown, unseen: unseen! }} />}
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
  const listeners = useListeners()
  if (isLost)
    return (
      <Empty title="Nothing is loaded yet">
        <p className="lost">Nothing was charged. Mentions load by themselves when the server answers.</p>
      </Empty>
    )
  if (error) return <Failure error={error} onRetry={loadAgain} />
  if (isPaused) return <Notice title="You are offline.">This loads when you are online again.</Notice>
  if (all === null) return <p role="status">Loading mentions…</p>
  return (
    <Empty title="No mentions yet">
      <p>What your listeners find shows here, for free.</p>
      <p className="row">
        <button className="primary" onClick={loadAgain}>
          Check again · free
        </button>
        <button onClick={goToSearch}>Search older posts · for credits</button>
      </p>
      {listeners.length > 0 && (
        <p className="quiet">Listening for {listeners.map(({ name }) => isolated(name)).join(', ')}.</p>
      )}
    </Empty>
  )
}

/** The filters, which the address holds. Of a few mentions there is one, of more also how many there are of each age. */
function ListFilters({ isMany }: { isMany: boolean }) {
  const address = useAddress()
  const { at = '', state = 'new' } = address
  const listeners = useListeners().map(({ id, name }): Option => [id, name])
  const counts = useCounts(
    ages.map((age) => ({ ...filtersOf(address), ...ofAge(age), ...(state === 'new' && { state }) })),
    isMany,
  )
  const selects: [name: string, first: string, others: Option[]][] = [
    ['state', 'Unseen only', [['all', 'Seen and unseen']]],
    ['listener', 'Any listener', listeners],
    ['network', 'Any network', Object.entries(networkNames)],
    ['fit', 'Any fit', ['50', '75', '90'].map((fit) => [fit, `Fit ${fit} or more`])],
    ['sort', 'Newest first', [['fitScore', 'Best fit first']]],
  ]
  const [ofStates, ...others] = selects.map(([name, first, options]) => (
    <Select
      key={name}
      {...{ label: name, value: address[name] ?? '', options: [['', first], ...options] }}
      onChange={(value) => go({ [name]: value }, { replace: true })}
    />
  ))
  return (
    <div className="filters inbox-filters row quiet">
      {ofStates}
      {isMany && (
        <Choice
          {...{ label: 'Age', options: ages, value: at }}
          nameOf={(age) => (
            <>
              {nameOfAge(age)} <b>{figure(counts[ages.indexOf(age)])}</b>
            </>
          )}
          onChange={(at) => go({ at }, { replace: true })}
        />
      )}
      {isMany && others}
    </div>
  )
}

function lengthName(time: number): string {
  const minutes = Math.max(1, Math.round(time / 60_000))
  return minutes < 90 ? `${minutes} min` : `${Math.round(minutes / 60)} h`
}

/** Marks all that match as seen, in the order of the service, which changes one at a time, for free. Leaving stops it. */
function MarkAll({ filters, unseen }: { filters: Filters; unseen: number }) {
  const changes = useChanges()
  const isOn = useRef(false)
  const [said, say] = useState('')
  useEffect(() => () => void (isOn.current = false), [])
  const run = useMutation({
    async mutationFn(total: number) {
      const began = Date.now()
      isOn.current = true
      for (let done = 0; isOn.current && done < total;) {
        const next = await firstUnseen(filters)
        await changes.mutateAsync(next.map(({ id, state }) => ({ id, state: 'seen', was: state })))
        done += next.length || total
        const left = ((Date.now() - began) / done) * (total - done)
        say(`${figure(done)} of ${figure(total)} marked, about ${lengthName(left)} left`)
      }
    },
    onSettled() {
      say('')
      loadAgain()
    },
  })
  const start = () =>
    confirm(`Mark ${plural(unseen, 'mention')} as seen? It is free, one request each. You can stop it.`) &&
    run.mutate(unseen)
  if (run.error) return <Failure error={run.error} onRetry={start} />
  if (!run.isPending)
    return (
      <button onClick={(event) => (focusTitle(event), start())}>Mark all {figure(unseen)} as seen</button>
    )
  return (
    <>
      {said || 'Marking…'} <button onClick={() => (isOn.current = false)}>Stop</button>
    </>
  )
}
