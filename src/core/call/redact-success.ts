import type { Settings } from '../options/settings.ts'

/** A success, with everything that repeats a secret taken out of it: pages end up in logs, and proxies pass them on. */
export function cleanSuccess(
  response: Response,
  text: string,
  body: unknown,
  { redactor, dialect }: Pick<Settings, 'redactor' | 'dialect'>,
): { response: Response; text: string; body: unknown } {
  const root = { body }
  const found = redactor.suspects(text) && redactor.purge(root)
  const { status, statusText } = response
  const headers = [...response.headers]
    .filter(([name]) => redactor.text(name) === name)
    .map(([name, value]): [string, string] => [name, redactor.text(value)])
  return {
    response: new Response(null, { status, statusText: redactor.text(statusText), headers }),
    text: found ? (dialect.stringify(root.body) ?? '') : redactor.text(text),
    body: root.body,
  }
}
