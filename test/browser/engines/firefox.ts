import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Engine, jsonFunction, programOf, said, start } from './engine.ts'

/** Only this machine can be reached: all else would go through a proxy where none is. */
const preferences = {
  'network.proxy.type': 1,
  'network.proxy.http': '127.0.0.1',
  'network.proxy.http_port': 9,
  'network.proxy.ssl': '127.0.0.1',
  'network.proxy.ssl_port': 9,
  'browser.shell.checkDefaultBrowser': false,
  'datareporting.policy.dataSubmissionEnabled': false,
}

/** Starts the Firefox of this machine without a window. It speaks WebDriver BiDi by itself. */
export async function firefoxEngine(): Promise<Engine> {
  const path = programOf(['firefox-esr', 'firefox'], 'FIREFOX', 'firefox-esr')
  const program = start(path, (profile) => {
    const lines = Object.entries(preferences).map(
      ([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`,
    )
    writeFileSync(join(profile, 'user.js'), lines.join(''))
    return ['--headless', '--no-remote', '--remote-debugging-port=0', '--profile', profile]
  })
  const address = await said(program, 'stderr', /WebDriver BiDi listening on (ws:\S+)/)
  const send = await bidi(`${address}/session`)
  await send('session.new', { capabilities: {} })
  return {
    close: () => program.end(),
    async open(url) {
      const { context } = await send<{ context: string }>('browsingContext.create', { type: 'tab' })
      await send('browsingContext.navigate', { context, url, wait: 'complete' })
      return {
        async evaluate(run: (given: never) => unknown, given?: unknown) {
          const text = JSON.stringify(given) as string | undefined
          const outcome = await send<Outcome>('script.callFunction', {
            functionDeclaration: jsonFunction(run),
            arguments: text === undefined ? [] : [{ type: 'string', value: text }],
            awaitPromise: true,
            target: { context },
          })
          if ('exceptionDetails' in outcome) throw new Error(outcome.exceptionDetails.text)
          return JSON.parse(outcome.result.value) as never
        },
      }
    },
  }
}

type Outcome =
  { readonly result: { readonly value: string } } | { readonly exceptionDetails: { readonly text: string } }

type Send = <Result>(method: string, params: object) => Promise<Result>

async function bidi(url: string): Promise<Send> {
  const socket = new WebSocket(url)
  await once(socket, 'open')
  const waiting = new Map<number, (message: { result: never; error?: string; message?: string }) => void>()
  socket.addEventListener('message', ({ data }) => {
    const message = JSON.parse(String(data)) as { id?: number; result: never }
    waiting.get(message.id ?? -1)?.(message)
  })
  let count = 0
  return (method, params) =>
    new Promise((resolve, reject) => {
      const id = ++count
      waiting.set(id, ({ result, error, message }) => {
        waiting.delete(id)
        if (error === undefined) resolve(result)
        else reject(new Error(`${method}: ${error}: ${message}`))
      })
      socket.send(JSON.stringify({ id, method, params }))
    })
}
