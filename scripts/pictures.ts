/** Makes the pictures of README and guides with Chromium, after `npm run dashboard` or with its packages installed. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { launchChromium } from '../test/browser/chromium.ts'
import { dashboardPicture } from './pictures/dashboard.ts'
import { type Picture, hashesOf, pictures, recordFile } from './pictures/sources.ts'
import { terminalPicture } from './pictures/terminal.ts'

const makers: Record<Picture, (browser: Browser) => Promise<Buffer>> = {
  'docs/dashboard.webp': (browser) => dashboardPicture(browser, 'light'),
  'docs/dashboard-dark.webp': (browser) => dashboardPicture(browser, 'dark'),
  'docs/terminal.webp': terminalPicture,
}

const browser = await launchChromium()
try {
  for (const picture of pictures) {
    const png = await makers[picture](browser)
    writeFileSync(join(import.meta.dirname, '..', picture), await toWebp(browser, png))
    console.log(`Wrote ${picture}`)
  }
  const record = Object.fromEntries(pictures.map((picture) => [picture, hashesOf(picture)]))
  writeFileSync(recordFile, `${JSON.stringify(record, null, 2)}\n`)
} finally {
  await browser.close()
}

/** Chromium itself is the encoder. */
async function toWebp(browser: Browser, png: Buffer): Promise<Buffer> {
  const page = await browser.newPage()
  const url = await page.evaluate(
    async (source) => {
      const image = new Image()
      image.src = source
      await image.decode()
      const canvas = document.createElement('canvas')
      Object.assign(canvas, { width: image.naturalWidth, height: image.naturalHeight })
      canvas.getContext('2d')?.drawImage(image, 0, 0)
      return canvas.toDataURL('image/webp', 0.85)
    },
    `data:image/png;base64,${png.toString('base64')}`,
  )
  await page.close()
  return Buffer.from(url.slice(url.indexOf(',') + 1), 'base64')
}
