/** Opens a built page of each kind, and fails if axe finds that somebody cannot use it, or if a missing page opens no search. */
import { existsSync, readFileSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { launchChromium } from '../../test/browser/chromium.ts'

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js')
const dist = join(import.meta.dirname, 'dist')
const base = process.env.DOCS_BASE ?? '/'
const missing = 'docs/rate/limit'

/** The file of a URL, as servers of static files find it. */
function fileOf(url) {
  const path = join(dist, decodeURI(new URL(url).pathname).replace(base, '/'))
  const isFile = (file) => existsSync(file) && statSync(file).isFile()
  return [path, `${path}.html`, join(path, 'index.html')].find(isFile)
}

const browser = await launchChromium()
try {
  for (const path of ['', 'cookbook', 'reference/', 'reference/microblog', 'api/', missing]) {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
    await page.route('**', (route, request) => {
      const file = fileOf(request.url())
      return route.fulfill(file ? { path: file } : { status: 404, path: join(dist, '404.html') })
    })
    await page.goto(`http://site.invalid${base}${path}`)
    if (path === missing) {
      await page.getByRole('listbox').getByText('Rate limits').first().waitFor()
      await page.keyboard.press('Escape')
    }
    await page.addScriptTag({ content: readFileSync(axe, 'utf8') })
    const { violations } = await page.evaluate(() => globalThis.axe.run())
    for (const { help, nodes } of violations) {
      console.error(`/${path}: ${help}: ${nodes.map(({ html }) => html.slice(0, 120)).join(', ')}`)
      process.exitCode = 1
    }
    await page.close()
  }
} finally {
  await browser.close()
}
