import { useState } from 'react'
import { go } from './address.ts'
import { type Change, type Mention, type State, useChanges } from './mentions.ts'
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
        <button aria-disabled={chosen.size === 0} onClick={() => markChosen('seen')}>
          Mark as seen
        </button>
        <button aria-disabled={chosen.size === 0} onClick={() => markChosen('done')}>
          Mark as done
        </button>
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
      <ul className="stack">
        {shown.map((mention) => (
          <Item
            key={mention.id}
            mention={mention}
            isChosen={chosen.has(mention.id)}
            onChoose={(isChosen) => choose(mention.id, isChosen)}
            onMark={(state) => mark([mention], state)}
          />
        ))}
        {listed.length === 0 && (
          <li className="quiet">{found.length > 0 ? 'Everything is seen.' : 'No mentions.'}</li>
        )}
      </ul>
      {listed.length > few && (
        <button aria-expanded={isLong} onClick={() => setIsLong(!isLong)}>
          {isLong ? `Show the newest ${few}` : `Show ${listed.length - few} more`}
        </button>
      )}
    </div>
  )
}

interface ItemProps {
  mention: Mention
  isChosen: boolean
  onChoose: (isChosen: boolean) => void
  onMark: (state: State) => void
}

function Item({ mention, isChosen, onChoose, onMark }: ItemProps) {
  const { text, author, network, url, publishedAt, state, fitScore } = mention
  return (
    <li className="mention">
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
          {fitScore !== undefined && <span>fit {fitScore}</span>}
          <span className="end row">
            {(['seen', 'done'] as const).map((next) => (
              <button
                key={next}
                aria-pressed={state === next}
                onClick={() => onMark(state === next ? 'new' : next)}
              >
                {next === 'seen' ? 'Seen' : 'Done'}
              </button>
            ))}
          </span>
        </div>
      </div>
    </li>
  )
}
