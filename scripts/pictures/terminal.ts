import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import type { Browser } from 'playwright-core'
import { shiftClocks } from '../../test/clock/test-clock.ts'

const colors: Readonly<Record<string, string>> = {
  1: 'font-weight: bold',
  2: 'color: #8b949e',
  31: 'color: #ff7b72',
  36: 'color: #79dbe0',
}

/** What `npm run quickstart` shows on a terminal of 110 columns: two posts, the pages, an error and the credits. */
export async function terminalPicture(browser: Browser): Promise<Buffer> {
  const env = { ...process.env, TERM: 'xterm', NO_COLOR: undefined, TEST_CLOCK: '2026-11-18T15:00:00Z' }
  shiftClocks(env)
  const command = `stty cols 110 && '${process.execPath}' examples/quickstart.ts`
  const output = execFileSync('script', ['--quiet', '--command', command, '/dev/null'], {
    cwd: join(import.meta.dirname, '../..'),
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  // Of a line that was redrawn, the last state.
  const lines = output.split('\r\n').map((line) => line.replace(/^[^]*\r\x1b\[K/, ''))
  const plain = lines.map((line) => stripVTControlCharacters(line).trim())
  const at = (text: string, from = 0) => plain.findIndex((line, i) => i >= from && line.startsWith(text))
  const secondPost = at('https:', at('https:') + 1)
  const shown = [
    ...lines
      .slice(at('Search for'), secondPost)
      .filter((_, i) => !plain[at('Search for') + i]?.startsWith('https:')),
    '',
    ...lines.slice(at('Read more'), at('The first page')),
    ...lines.slice(at('The response to'), at('Try next')),
  ]
  const text = ['$ npm run quickstart', '', ...shown].join('\n').trimEnd()
  const page = await browser.newPage({ deviceScaleFactor: 2.5 })
  const style =
    'display: inline-block; min-width: 107ch; padding: 16px; margin: 0; color: #d5dae1; background: #0d1117'
  await page.setContent(`<pre style="${style}; font: 11px/1.35 monospace">${toHtml(text)}</pre>`)
  return page.locator('pre').screenshot()
}

/** Colors of a terminal as spans. Codes other than those of `colors` end them all. */
function toHtml(text: string): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  return escaped.replaceAll(/\x1b\[(\d+)m/g, (_, code: string) => {
    const style = colors[code]
    return style === undefined ? '</span>' : `<span style="${style}">`
  })
}
