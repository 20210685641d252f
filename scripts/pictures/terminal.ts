import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import type { Browser } from 'playwright-core'

const colors: Readonly<Record<string, string>> = {
  1: 'font-weight: bold',
  2: 'color: #8b949e',
  31: 'color: #ff7b72',
  36: 'color: #79dbe0',
}

/** What `npm run quickstart` prints of pages, errors and credits. */
export async function terminalPicture(browser: Browser): Promise<Buffer> {
  const output = execFileSync(process.execPath, ['examples/quickstart.ts'], {
    cwd: join(import.meta.dirname, '../..'),
    env: { ...process.env, FORCE_COLOR: '1', NO_COLOR: undefined },
    encoding: 'utf8',
  })
  const lines = output.split('\n')
  const heading = (text: string) => lines.findIndex((line) => stripVTControlCharacters(line).startsWith(text))
  const pages = lines.slice(heading('Fetching'))
  const shown = [...pages.slice(0, pages.indexOf('') + 1), ...lines.slice(heading('Errors'))]
  const text = ['$ npm run quickstart', '', ...shown].join('\n').trimEnd()
  const page = await browser.newPage({ deviceScaleFactor: 2 })
  const style = 'display: inline-block; padding: 16px; margin: 0; color: #d5dae1; background: #0d1117'
  await page.setContent(`<pre style="${style}; font: 9px/1.5 monospace">${toHtml(text)}</pre>`)
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
