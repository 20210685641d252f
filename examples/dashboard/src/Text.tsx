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

/** How long ago a time was: `3h`. */
export function ageOf(time: number): string {
  if (Number.isNaN(time)) return '–'
  const minutes = Math.floor((Date.now() - time) / 60_000)
  if (minutes < 1) return 'just now'
  if (minutes < 60) return `${minutes}m`
  return minutes < 1440 ? `${Math.floor(minutes / 60)}h` : `${Math.floor(minutes / 1440)}d`
}
