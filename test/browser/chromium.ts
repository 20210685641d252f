import { type Browser, chromium } from 'playwright-core'
import { type Engine, jsonFunction, programOf } from './engines/engine.ts'

/** Starts the Chromium of this machine without a window. */
export function launchChromium(): Promise<Browser> {
  const names = ['chromium', 'chromium-browser', 'google-chrome']
  return chromium.launch({
    executablePath: programOf(names, 'CHROMIUM', 'chromium'),
    args: ['--no-sandbox'],
  })
}

export async function chromiumEngine(): Promise<Engine> {
  const browser = await launchChromium()
  return {
    close: () => browser.close(),
    async open(url) {
      const page = await browser.newPage()
      await page.goto(url)
      return {
        async evaluate(run: (given: never) => unknown, given?: unknown) {
          const text = JSON.stringify(JSON.stringify(given)) as string | undefined
          return JSON.parse(await page.evaluate<string>(`(${jsonFunction(run)})(${text ?? ''})`)) as never
        },
      }
    },
  }
}
