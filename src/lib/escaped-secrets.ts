/** A way to write characters. */
interface Escape {
  /** With which each escape begins. Most texts have none. */
  readonly marker: string
  readonly pattern: RegExp
  /** What an escape stands for; undefined if it stands for nothing. */
  readonly decode: (escape: string) => string | undefined
}

const escapes: readonly Escape[] = [
  // JSON.
  {
    marker: '\\',
    pattern: /\\(?:u[\da-f]{4}|["\\/])/gi,
    decode: (escape) => (escape.length === 2 ? escape[1] : character(escape.slice(2), 16)),
  },
  // URLs: an ASCII character, or the bytes of another one.
  {
    marker: '%',
    pattern: /%[0-7][\da-f]|%[c-f][\da-f](?:%[89ab][\da-f]){1,3}/gi,
    decode: (escape) => {
      try {
        return decodeURIComponent(escape)
      } catch {
        return undefined
      }
    },
  },
  // Forms.
  { marker: '+', pattern: /\+/g, decode: () => ' ' },
  // HTML.
  {
    marker: '&',
    pattern: /&(?:#\d{1,7}|#x[\da-f]{1,6}|amp|lt|gt|quot|apos);/gi,
    decode: (escape) => {
      const name = escape.slice(1, -1).toLowerCase()
      if (!name.startsWith('#')) return names[name]
      return name[1] === 'x' ? character(name.slice(2), 16) : character(name.slice(1), 10)
    },
  },
]

const names: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/** The characters of escapes: one escape may hide another. */
const ofEscapes = /[\w\\%&#;]/

/** How often text is decoded: a URL in JSON in a page is decoded three times. */
const maxDepth = 3

/** A part of a text, from its first index to the one after its last. */
export type Range = readonly [start: number, end: number]

/** A text, and where the parts of its decoded form come from. */
interface Form {
  readonly text: string
  readonly toOriginal: (index: number) => number
}

/** Finds secrets that are written with escapes, however each of their characters is escaped, and also twice. */
export function escapedSecrets(text: string, secrets: readonly string[]): Range[] {
  if (secrets.length === 0 || !escapes.some(({ marker }) => text.includes(marker))) return []
  const found: Range[] = []
  const seen = new Set([text])
  let forms: Form[] = [{ text, toOriginal: (index) => index }]
  for (let depth = 0; depth < maxDepth && forms.length > 0; depth++) {
    const decoded = forms.flatMap((form) => escapes.flatMap((escape) => decode(form, escape, secrets) ?? []))
    forms = decoded.filter((form) => !seen.has(form.text) && seen.add(form.text))
    for (const form of forms) for (const secret of secrets) found.push(...rangesOf(form, secret))
  }
  return found
}

/** Undefined if nothing changes. Characters that are in no secret stay as they are, so that most texts need no copy. */
function decode(
  form: Form,
  { marker, pattern, decode }: Escape,
  secrets: readonly string[],
): Form | undefined {
  if (!form.text.includes(marker)) return undefined
  /** By how many characters the decoded text is shorter, from an index on. */
  const shifts: { readonly from: number; readonly by: number }[] = []
  let by = 0
  const text = form.text.replaceAll(pattern, (escape, index: number) => {
    const plain = decode(escape)
    const isRelevant = (start: string): boolean =>
      ofEscapes.test(start) || secrets.some((secret) => secret.includes(start))
    if (plain === undefined || !isRelevant(plain.slice(0, 1))) return escape
    by += escape.length - plain.length
    shifts.push({ from: index + escape.length - by, by })
    return plain
  })
  if (text === form.text) return undefined
  const toOriginal = (index: number): number =>
    form.toOriginal(index + (shifts.findLast(({ from }) => from <= index)?.by ?? 0))
  return { text, toOriginal }
}

function rangesOf({ text, toOriginal }: Form, secret: string): Range[] {
  const ranges: Range[] = []
  for (let at = text.indexOf(secret); at !== -1; at = text.indexOf(secret, at + secret.length))
    ranges.push([toOriginal(at), toOriginal(at + secret.length)])
  return ranges
}

function character(digits: string, radix: number): string | undefined {
  const code = parseInt(digits, radix)
  return code <= 0x10_ffff ? String.fromCodePoint(code) : undefined
}
