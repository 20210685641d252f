import { type ReactNode, useEffect, useState } from 'react'
import { type Change, type Mention, timeOf, useChanges, useListeners, type useMentions } from './mentions.ts'
import { isTyping } from './controls.tsx'
import { useIsLost } from './Credits.tsx'
import { networkNames } from './networks.ts'
import { Failure, focusTitle } from './status.tsx'
import { Text, ageOf } from './Text.tsx'

interface Props {
  list: ReturnType<typeof useMentions>
  /** How many to show, and no button for more. */
  few?: number
  title?: string
  /** Says what is missing if nothing is listed. */
  empty: string
  /** Stands at the end of the title's line. */
  children?: ReactNode
}

/** What a mention can be marked as. */
const marks = { seen: 'Seen', done: 'Done', ignored: 'Ignore' }

/** Mentions to mark, one by one or several at once. */
export function MentionList({ list, few, title, empty, children }: Props) {
  const { mentions, more, isFetchingNextPage } = list
  const changes = useChanges()
  const isLost = useIsLost()
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [last, setLast] = useState<Change[] | null>(null)
  // Only what the server has accepted is said, and can be undone.
  const marked = changes.isSuccess ? last : null
  const shown = mentions?.slice(0, few) ?? []
  const picked = shown.filter(({ id }) => chosen.has(id))
  const areAllPicked = picked.length === shown.length

  function mark(mentions: Mention[], state: string) {
    const all = mentions.map(({ id, state: was }) => ({ id, state, was }))
    setLast(all)
    changes.mutate(all)
  }
  function undo(all: Change[]) {
    changes.mutate(all.map(({ id, state, was }) => ({ id, state: was, was: state })))
    setLast(null)
  }
  const choose = (id: string, isChosen: boolean) =>
    setChosen(new Set(isChosen ? [...chosen, id] : [...chosen].filter((each) => each !== id)))

  /** `j` and `k` move, from the start to the first one; `s`, `e` and `i` mark the mention that has the focus. */
  function press(event: KeyboardEvent) {
    const { key, target, ctrlKey, metaKey, altKey } = event
    if (ctrlKey || metaKey || altKey || isTyping(event)) return
    const item = target instanceof Element ? target.closest('.mention') : null
    const first = document.querySelector('.mention')
    const next = { j: item?.nextElementSibling ?? first, k: item?.previousElementSibling ?? first }[key]
    next?.querySelector('input')?.focus()
    const state = ({ s: 'seen', e: 'done', i: 'ignored' } as const)[key]
    const mention = shown.find(({ id }) => id === (item ?? first)?.id)
    if (state && mention && !isLost) mark([mention], mention.state === state ? 'new' : state)
  }
  useEffect(() => {
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  })
  return (
    <section className="inbox" aria-label={title ?? 'Mentions'}>
      <div className="bulk row quiet">
        {title && <h3 tabIndex={-1}>{title}</h3>}
        {few === undefined && shown.length > 1 && (
          <label className="row">
            <input
              type="checkbox"
              checked={areAllPicked}
              onChange={() => setChosen(new Set(areAllPicked ? [] : shown.map(({ id }) => id)))}
            />
            Choose these {shown.length}
          </label>
        )}
        {picked.length > 0 && <strong>{picked.length} chosen</strong>}
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
        <span role="status">{marked && `${marked.length} marked as ${marked[0]!.state}`}</span>
        {marked && <button onClick={(event) => (focusTitle(event), undo(marked))}>Undo</button>}
        <span className="end">{children}</span>
      </div>
      {changes.error && <Failure error={changes.error} onRetry={() => changes.mutate(changes.variables)} />}
      {list.error && !isLost && <Failure error={list.error} onRetry={() => void list.refetch()} />}
      <ul>
        {shown.map((mention) => (
          <Item
            key={mention.id}
            mention={mention}
            isChosen={chosen.has(mention.id)}
            onChoose={(isChosen) => choose(mention.id, isChosen)}
            onMark={(state) => mark([mention], state)}
          />
        ))}
        {mentions?.length === 0 && <li className="quiet">{empty}</li>}
      </ul>
      {few === undefined && more && (
        <button aria-disabled={isFetchingNextPage} onClick={more}>
          {isFetchingNextPage ? 'Loading…' : 'Show more'}
        </button>
      )}
      {shown.length > 0 && (
        <p className="quiet">
          <span className="keys">
            <kbd>j</kbd> next, <kbd>k</kbd> previous, <kbd>s</kbd> seen, <kbd>e</kbd> done, <kbd>i</kbd>{' '}
            ignore, <kbd>/</kbd> search.{' '}
          </span>
          Fit: how well a mention suits you, from 0 to 100.
        </p>
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
  const { text, url = '', author = 'unknown', network = '–', publishedAt, state, fitScore = '–' } = mention
  const isLost = useIsLost()
  const listener = useListeners().find(({ id }) => id === mention.listenerId)?.name
  return (
    <li className="mention" id={mention.id}>
      <label className="choose">
        <input
          type="checkbox"
          checked={isChosen}
          disabled={isLost}
          onChange={(event) => onChoose(event.target.checked)}
        />
        <span className="hidden">Choose the mention by {author}</span>
      </label>
      <Text href={/^https?:/.test(url) ? url : undefined}>{text ?? 'No text'}</Text>
      <span className="meta quiet">
        <span className="source">
          <bdi>{mention.author === undefined ? '–' : `@${author}`}</bdi> ·{' '}
          <bdi>{networkNames[network] ?? network}</bdi>
        </span>
        <time dateTime={publishedAt} title={publishedAt}>
          {ageOf(timeOf(mention))}
        </time>
        <span className="fit">
          <bdi>{listener}</bdi>
          {listener && ' · '}fit <strong>{fitScore}</strong>
        </span>
      </span>
      <span className="marks">
        {Object.entries(marks).map(([next, verb]) => (
          <button
            key={next}
            aria-pressed={state === next}
            disabled={isLost}
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
