import stringWidth from 'fast-string-width'
import { wrapAnsi } from 'fast-wrap-ansi'

/** Longer lines are hard to read. */
export const longestLine = 100

/** Columns of the terminal that a text takes: East Asian letters and emoji take two, combining marks none. */
export const widthOf: (text: string) => number = stringWidth

/** Breaks a text between words, and words that are wider than a line. */
export function wrap(text: string, width: number): string {
  return wrapAnsi(text, width, { hard: true })
}

/** The text in one line of at most `width` columns; `…` stands for what is left out. */
export function cut(text: string, width: number): string {
  if (widthOf(text) <= width) return text
  let start = ''
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (widthOf(start + segment) >= width) break
    start += segment
  }
  return `${start}…`
}
