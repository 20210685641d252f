import { type KeyboardEvent, useState } from 'react'
import { go } from './address.ts'
import { type Change, type Mention, type State, useChanges, useListeners } from './mentions.ts'
import { dayName } from './period.ts'
import { Failure } from './status.tsx'

const few = 10

interface Props {
  /** The mentions that pass the filters. */
  found: Mention[]
  title: string
  isUnseenOnly: boolean
}

/** Mentions to mark, one by one or several at once. A marked one stays where it is until the filters change. */
export function MentionList({ found, title, isUnseenOnly }: Props) {
  const changes = useChanges()
  const [kept, setKept] = useState<ReadonlySet<string>>(new Set())
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [last, setLast] = useState<{ before: Change[]; state: State } | null>(null)
  const [isLong, setIsLong] = useState(false)

  const listed = found.filter(({ id, state }) => !isUnseenOnly || state === 'new' || kept.has(id))
  const shown = listed.slice(0, isLong ? undefined : few)
  const unseen = found.filter(({ state }) => state === 'new').length

  function mark(mentions: Mention[], state: State) {
    setKept(new Set([...kept, ...mentions.map(({ id }) => id)]))
    setLast({ before: mentions.map(({ id, state }) => ({ id, state })), state })
    changes.mutate(mentions.map(({ id }) => ({ id, state })))
  }
  function undo() {
    if (last) changes.mutate(last.before)
    setLast(null)
  }
  function markChosen(state: State) {
    if (chosen.size === 0) return
    mark(
      listed.filter(({ id }) => chosen.has(id)),
      state,
    )
    setChosen(new Set())
  }
  function showOthers() {
    setKept(new Set())
    go({ state: isUnseenOnly ? 'all' : '' }, { replace: true })
  }
  const choose = (id: string, isChosen: boolean) =>
    setChosen(new Set(isChosen ? [...chosen, id] : [...chosen].filter((each) => each !== id)))

  const { data: listeners = [] } = useListeners()
  const nameOf = (id?: string) => listeners.find((listener) => listener.id === id)?.name

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
    <div className="stack">
      <div className="row">
        <h3>{title}</h3>
        <p className="quiet">
          {unseen} of {found.length} unseen
        </p>
        <button className="end" onClick={showOthers}>
          {isUnseenOnly ? `Show all ${found.length}` : 'Show unseen only'}
        </button>
      </div>
      {/* Its buttons are never disabled for the browser, which would take the focus away. */}
      <div className="bulk row quiet">
        <label className="row">
          <input
            type="checkbox"
            checked={chosen.size > 0 && shown.every(({ id }) => chosen.has(id))}
            onChange={(event) => setChosen(new Set(event.target.checked ? shown.map(({ id }) => id) : []))}
          />
          {chosen.size > 0 ? `${chosen.size} chosen` : `Choose these ${shown.length}`}
        </label>
        {marks.map((state) => (
          <button key={state} aria-disabled={chosen.size === 0} onClick={() => markChosen(state)}>
            {verbs[state]}
            <span className="hidden"> the chosen</span>
          </button>
        ))}
        <span className="end row">
          <span role="status">{last && `${last.before.length} marked as ${last.state}`}</span>
          <button aria-disabled={!last} onClick={undo}>
            Undo
          </button>
        </span>
      </div>
      {changes.error && (
        <Failure error={changes.error} onRetry={{ price: 0, act: () => changes.mutate(changes.variables) }} />
      )}
      <p className="keys quiet">
        <kbd>j</kbd> next, <kbd>k</kbd> previous, <kbd>s</kbd> seen, <kbd>e</kbd> done
      </p>
      <ul className="stack" onKeyDown={press}>
        {shown.map((mention) => (
          <Item
            key={mention.id}
            mention={mention}
            listener={nameOf(mention.listenerId)}
            isChosen={chosen.has(mention.id)}
            onChoose={(isChosen) => choose(mention.id, isChosen)}
            onMark={(state) => mark([mention], state)}
          />
        ))}
        {listed.length === 0 && (
          <li className="quiet">{found.length > 0 ? 'You have seen everything.' : 'No mentions.'}</li>
        )}
      </ul>
      {listed.length > few && (
        <button aria-expanded={isLong} onClick={() => setIsLong(!isLong)}>
          {isLong ? `Show the first ${few}` : `Show ${listed.length - few} more`}
        </button>
      )}
    </div>
  )
}

/** What a mention can be marked as. */
const marks = ['seen', 'done', 'ignored'] as const
const verbs = { seen: 'Seen', done: 'Done', ignored: 'Ignore' }

interface ItemProps {
  mention: Mention
  listener: string | undefined
  isChosen: boolean
  onChoose: (isChosen: boolean) => void
  onMark: (state: State) => void
}

function Item({ mention, listener, isChosen, onChoose, onMark }: ItemProps) {
  const { text, author, network, url, publishedAt, state, fitScore } = mention
  return (
    <li className="mention" id={mention.id}>
      <input
        type="checkbox"
        aria-label={`Choose the mention by ${author}`}
        checked={isChosen}
        onChange={(event) => onChoose(event.target.checked)}
      />
      <div className="stack">
        <p dir="auto">{text}</p>
        <div className="row quiet">
          <a href={url} target="_blank" rel="noreferrer">
            @{author}, {network}, {dayName(publishedAt)}
          </a>
          {listener && <span>{listener}</span>}
          {fitScore !== undefined && (
            <abbr title="How well the mention fits your organization, from 0 to 100, as the service scores it">
              fit {fitScore}
            </abbr>
          )}
          <span className="end row">
            {marks.map((next) => (
              <button
                key={next}
                aria-pressed={state === next}
                onClick={() => onMark(state === next ? 'new' : next)}
              >
                {verbs[next]}
              </button>
            ))}
          </span>
        </div>
      </div>
    </li>
  )
}
