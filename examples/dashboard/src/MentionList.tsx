import { type KeyboardEvent, type ReactNode, useState } from 'react'
import { type Change, type Mention, isUnseen, timeOf, useChanges, useListeners } from './mentions.ts'
import { Failure, focusTitle } from './status.tsx'
import { LongText, Source, ageOf } from './Text.tsx'

interface Props {
  /** The mentions that pass the filters. */
  found: Mention[]
  /** How many to show at first. */
  few: number
  /** Whether a button shows more. */
  hasMore?: boolean
  isUnseenOnly: boolean
  title: string
  /** Says what is missing if nothing is listed. */
  empty: string
  /** Stands at the end of the title's line. */
  children?: ReactNode
}

export const aboutFit = 'Fit says how well one suits your organization, from 0 to 100.'

/** What a mention can be marked as. */
const marks = { seen: 'Seen', done: 'Done', ignored: 'Ignore' }

/** Mentions to mark, one by one or several at once. A marked one stays where it is until the filters change. */
export function MentionList({ found, few, hasMore, isUnseenOnly, title, empty, children }: Props) {
  const changes = useChanges()
  const [kept, setKept] = useState<ReadonlySet<string>>(new Set())
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [last, setLast] = useState<{ before: Change[]; state: string } | null>(null)
  // Only what the server has accepted is said, and can be undone.
  const marked = changes.isSuccess ? last : null
  const [shownCount, setShownCount] = useState(few)

  const listed = found.filter((mention) => !isUnseenOnly || isUnseen(mention) || kept.has(mention.id))
  const shown = listed.slice(0, shownCount)
  const picked = shown.filter(({ id }) => chosen.has(id))

  function mark(mentions: Mention[], state: string) {
    setKept(new Set([...kept, ...mentions.map(({ id }) => id)]))
    setLast({ before: mentions.map(({ id, state }) => ({ id, state })), state })
    changes.mutate(mentions.map(({ id }) => ({ id, state })))
  }
  const choose = (id: string, isChosen: boolean) =>
    setChosen(new Set(isChosen ? [...chosen, id] : [...chosen].filter((each) => each !== id)))

  /** `j` and `k` move, `s` and `e` mark the mention that has the focus. */
  function press({ key, target, ctrlKey, metaKey }: KeyboardEvent<HTMLUListElement>) {
    const item = (target as Element).closest('li')
    if (ctrlKey || metaKey || !item) return
    const state = ({ s: 'seen', e: 'done' } as const)[key]
    const next = { j: item.nextElementSibling, k: item.previousElementSibling }[key]
    const mention = shown.find(({ id }) => id === item.id)
    if (state && mention) mark([mention], mention.state === state ? 'new' : state)
    next?.querySelector('input')?.focus()
  }
  return (
    <section className="inbox" aria-label={title}>
      <div className="bulk row quiet">
        <h3 tabIndex={-1}>{picked.length > 0 ? `${picked.length} chosen` : title}</h3>
        {picked.length > 0 &&
          Object.entries(marks).map(([state, verb]) => (
            <button
              key={state}
              onClick={(event) => (focusTitle(event), mark(picked, state), setChosen(new Set()))}
            >
              {verb}
              <span className="hidden"> the chosen</span>
            </button>
          ))}
        <span className="end row">
          <span role="status">{marked && `${marked.before.length} marked as ${marked.state}`}</span>
          {marked && (
            <button onClick={(event) => (focusTitle(event), changes.mutate(marked.before), setLast(null))}>
              Undo
            </button>
          )}
          {children}
        </span>
      </div>
      {changes.error && (
        <Failure error={changes.error} onRetry={{ price: 0, act: () => changes.mutate(changes.variables) }} />
      )}
      <ul onKeyDown={press}>
        {shown.map((mention) => (
          <Item
            key={mention.id}
            mention={mention}
            isChosen={chosen.has(mention.id)}
            onChoose={(isChosen) => choose(mention.id, isChosen)}
            onMark={(state) => mark([mention], state)}
          />
        ))}
        {listed.length === 0 && <li className="quiet">{empty}</li>}
      </ul>
      {hasMore && listed.length > shown.length && (
        <button onClick={() => setShownCount(shownCount + 100)}>
          Show {Math.min(100, listed.length - shown.length)} more
        </button>
      )}
    </section>
  )
}

interface ItemProps {
  mention: Mention
  isChosen: boolean
  onChoose: (isChosen: boolean) => void
  onMark: (state: string) => void
}

function Item({ mention, isChosen, onChoose, onMark }: ItemProps) {
  const { text = '–', author = 'unknown', network = '–', publishedAt, state, fitScore = '–' } = mention
  const listener = useListeners().find(({ id }) => id === mention.listenerId)?.name
  return (
    <li className="mention" id={mention.id}>
      <label className="choose">
        <input type="checkbox" checked={isChosen} onChange={(event) => onChoose(event.target.checked)} />
        <span className="hidden">Choose the mention by {author}</span>
      </label>
      <LongText>{text}</LongText>
      <span className="source quiet">
        <Source mention={mention} />
        <span>
          <bdi>{network}</bdi> ·{' '}
          <time dateTime={publishedAt} title={publishedAt}>
            {ageOf(timeOf(mention))}
          </time>
        </span>
      </span>
      <span className="fit quiet" title={aboutFit}>
        <bdi>{listener}</bdi>
        {listener && ' · '}fit {fitScore}
      </span>
      <span className="marks">
        {Object.entries(marks).map(([next, verb]) => (
          <button
            key={next}
            aria-pressed={state === next}
            onClick={() => onMark(state === next ? 'new' : next)}
          >
            {verb}
            <span className="hidden">: mention by {author}</span>
          </button>
        ))}
      </span>
    </li>
  )
}
