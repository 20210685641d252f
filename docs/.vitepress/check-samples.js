/** Opens each built page on a screen of 1,280 px, and fails if a sample is cut there. */
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { launchChromium } from '../../test/browser/chromium.ts'

const dist = join(import.meta.dirname, 'dist')
const base = process.env.DOCS_BASE ?? '/'
const origin = 'http://site.invalid'
const paths = readdirSync(dist, { recursive: true }).filter(
  (path) => path.endsWith('.html') && readFileSync(join(dist, path), 'utf8').includes('<pre'),
)

const browser = await launchChromium()
try {
  // The page is laid out before any script runs.
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, javaScriptEnabled: false })
  await page.route('**', (route, request) => {
    const path = join(dist, decodeURI(new URL(request.url()).pathname).replace(base, '/'))
    return existsSync(path) ? route.fulfill({ path }) : route.abort()
  })
  let samples = 0
  for (const path of paths) {
    await page.goto(`${origin}${base}${path}`)
    const all = await page
      .locator('.vp-doc pre')
      .evaluateAll((each) =>
        each.map((pre) => ({ isCut: pre.scrollWidth > pre.clientWidth, text: pre.textContent.slice(0, 60) })),
      )
    samples += all.length
    for (const { text } of all.filter(({ isCut }) => isCut)) {
      console.error(`${path} cuts a sample at 1,280 px: ${text.replaceAll('\n', ' ')}…`)
      process.exitCode = 1
    }
  }
  if (samples === 0) throw new Error('no page has a sample')
} finally {
  await browser.close()
}
