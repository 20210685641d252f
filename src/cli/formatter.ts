/** Turns records into text, page by page. */
export interface Formatter {
  /** Text before the first page. */
  readonly head: string
  page(records: readonly unknown[]): string
  /** Text after the last page. */
  readonly tail: string
  /** Whether the text of the last page begins with a line of titles. */
  readonly isTitled?: boolean
}

export interface FormatOptions {
  readonly fields: readonly string[] | undefined
  /** Columns of the terminal; undefined without a terminal. */
  readonly width: number | undefined
}
