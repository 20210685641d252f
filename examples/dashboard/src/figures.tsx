import { type Covered, batchSize } from './mentions.ts'

export const exact = (count: number) => count.toLocaleString('en')

const time = new Intl.DateTimeFormat('en', {
  ...{ month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit', timeZone: 'UTC' },
})
export const sinceName = (from: number) => `since ${time.format(from)} UTC`

interface NoteProps {
  covered: Covered
  more: (() => void) | null
}

/** Says what the mentions leave out, and loads more of it, unless something loads; nothing if they are all. */
export const CoverageNote = ({ covered: { from, found }, more }: NoteProps) =>
  from !== -Infinity && (
    <p className="coverage row quiet">
      Only the newest {exact(found.length)} are loaded{from !== Infinity && `, ${sinceName(from)}`}.
      <button aria-disabled={!more} onClick={() => more?.()}>
        {more ? `Load ${batchSize} more · free` : 'Loading…'}
      </button>
    </p>
  )

/** A number with its name above, and what to compare it with below. */
export const Figure = ({ name, value, note }: { name: string; value: string; note: string }) => (
  <div className="card fact">
    <dt className="quiet">{name}</dt>
    <dd className="figure">{value}</dd>
    <dd className="quiet">{note}</dd>
  </div>
)
