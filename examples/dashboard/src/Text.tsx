/** The direction of most letters: the first one may be of a name, a tag or a link. */
function directionOf(text: string): 'rtl' | 'ltr' {
  const count = (letters: RegExp) => text.replaceAll(/(@|#|https?:)\S+/g, '').match(letters)?.length ?? 0
  return 2 * count(/[\p{Script=Arabic}\p{Script=Hebrew}]/gu) > count(/\p{L}/gu) ? 'rtl' : 'ltr'
}

interface TextProps {
  children: string
  /** Where all of it stands. */
  href: string | undefined
}

/** What somebody else wrote: in its own direction and with its line breaks. What leads to the whole text is cut to a few lines. */
export const Text = ({ children, href }: TextProps) => (
  <p className="text" dir={directionOf(children)}>
    {href ? (
      <a href={href} target="_blank" rel="noreferrer">
        {children}
      </a>
    ) : (
      children
    )}
  </p>
)

const ago = new Intl.RelativeTimeFormat('en', { numeric: 'always', style: 'narrow' })
const steps = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const

/** How long ago a time was: `3h ago`. */
export function ageOf(time: number): string {
  if (Number.isNaN(time)) return '–'
  const age = Date.now() - time
  const [unit, size] = steps.find(([, size]) => age >= size) ?? ['minute', 60_000]
  return age < 60_000 ? 'just now' : ago.format(-Math.floor(age / size), unit)
}
