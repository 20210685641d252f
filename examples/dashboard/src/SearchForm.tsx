import { type FormEvent, type ReactNode, useState } from 'react'
import { Choice, Select } from './controls.tsx'
import { credits, useReset } from './Credits.tsx'
import { type Draft, periodName } from './draft.ts'
import { type Network, networks } from './networks.ts'
import { lastDays, lengthOf, today } from './period.ts'

const languages: Record<string, string> = { '': 'Any language', de: 'German', en: 'English', ja: 'Japanese' }

interface Props {
  draft: Draft
  /** What the button says. */
  button: string
  isUsedUp: boolean
  /** Whether a press would do nothing. */
  isIdle: boolean
  isToday: boolean
  onChange: (part: Partial<Draft>) => void
  onSubmit: () => void
  /** What is the matter, and what to do. */
  children: ReactNode
}

export function SearchForm(props: Props) {
  const { draft, button, isUsedUp, isIdle, isToday, onChange, onSubmit, children } = props
  const [isOpen, setIsOpen] = useState(false)
  const reset = useReset()
  const { network, lang, from, to } = draft
  const isMicroblog = network === 'microblog'
  /** On the first view, nothing is about a search until a word is there. */
  const isQuiet = isToday && !draft.query && !draft.versus
  const nameOfPages = (pages: number) =>
    isMicroblog ? `Newest ${20 * pages}` : pages === 1 ? '1 page' : `${pages} pages`
  const submit = (event: FormEvent) => (event.preventDefault(), setIsOpen(false), onSubmit())
  const words = (name: 'query' | 'versus', label: string) => (
    <input
      type="search"
      dir="auto"
      aria-label={label}
      placeholder={label}
      required={name === 'query'}
      maxLength={200}
      value={draft[name]}
      onChange={(event) => onChange({ [name]: event.target.value })}
    />
  )
  const day = (name: 'from' | 'to', label: string) => (
    <label className="row">
      {label}
      <input
        type="date"
        required
        min={name === 'to' ? from : undefined}
        value={draft[name]}
        onChange={(event) => onChange({ [name]: event.target.value })}
      />
    </label>
  )
  return (
    <form id="search" role="search" className={isQuiet ? 'stack folded' : 'stack'} onSubmit={submit}>
      <div className="queries row">
        <Choice
          {...{ label: 'Network', className: 'networks', value: network }}
          options={Object.keys(networks) as Network[]}
          nameOf={(each) => (
            <>
              {networks[each].name} <small>{credits(networks[each].price)} a page</small>
            </>
          )}
          onChange={(network) => onChange({ network, lang: '', noReplies: false })}
        />
        {words('query', 'Search posts')}
        {words('versus', 'Compare with')}
        <button className={isQuiet ? '' : 'primary'} disabled={isUsedUp} aria-disabled={isIdle}>
          {isUsedUp ? reset : button}
        </button>
      </div>
      {children}
      <button type="button" className="fold" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
        {[periodName(draft), isMicroblog && (languages[lang] ?? lang)].filter(Boolean).join(' · ')} ▾
      </button>
      <div className={isOpen ? 'filters row quiet open' : 'filters row quiet'}>
        <Choice
          label="Period"
          options={[7, 28, 90]}
          value={to === today() ? lengthOf(draft) : undefined}
          nameOf={(days) => `${days} days`}
          onChange={(days) => onChange(lastDays(days))}
        />
        {day('from', 'Since')}
        {day('to', 'Until')}
        {isMicroblog && (
          <Select
            {...{ label: 'Language', value: lang, options: Object.entries(languages) }}
            onChange={(lang) => onChange({ lang })}
          />
        )}
        <Select
          {...{ label: 'Posts of each search', value: String(draft.pages) }}
          options={[1, 3, 5].map((pages) => [String(pages), nameOfPages(pages)])}
          onChange={(pages) => onChange({ pages: Number(pages) })}
        />
        {isMicroblog && (
          <label className="row">
            No replies
            <input
              type="checkbox"
              checked={draft.noReplies}
              onChange={(event) => onChange({ noReplies: event.target.checked })}
            />
          </label>
        )}
      </div>
    </form>
  )
}
