import { spawn } from 'node:child_process'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'

const now = '2026-11-18T15:00:00Z'

/** The answer of the first comparison, 1,280 × 640 pixels: its text can be read in the column of a README. */
export async function dashboardPicture(browser: Browser, colorScheme: 'light' | 'dark'): Promise<Buffer> {
  const server = spawn(process.execPath, ['server.ts'], {
    cwd: join(import.meta.dirname, '../../examples/dashboard'),
    env: { ...process.env, PORT: '0', NOW: now },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    let origin: string | undefined
    for await (const text of server.stdout.setEncoding('utf8')) {
      origin = /http:\/\/127\.0\.0\.1:\d+/.exec(text as string)?.[0]
      if (origin !== undefined) break
    }
    if (origin === undefined) throw new Error('the server of the dashboard ended')
    const page = await browser.newPage({
      viewport: { width: 960, height: 1400 },
      deviceScaleFactor: 4 / 3,
      colorScheme,
    })
    await page.clock.setFixedTime(new Date(now))
    await page.goto(`${origin}/?tab=search`)
    await page.getByRole('button', { name: 'react vs vue' }).click()
    await page.keyboard.press('Tab')
    await page.getByRole('button', { name: 'Compare' }).click()
    await page.getByText(/Compared with the 28 days before/).waitFor()
    await page.getByText('48 of 60 credits left').waitFor()
    await page.mouse.move(0, 0)
    const top = await page.locator('.headline').evaluate((headline) => headline.getBoundingClientRect().top)
    return await page.screenshot({ clip: { x: 0, y: top - 16, width: 960, height: 480 } })
  } finally {
    server.kill()
  }
}
