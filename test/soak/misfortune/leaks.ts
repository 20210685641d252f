import { inspect } from 'node:util'
import { everything } from '../../canary/look.ts'

/** Deep enough for what the package adds to an error; deeper parts are found without printing. */
const print = (value: unknown): string =>
  inspect(value, { depth: 8, showHidden: true, maxStringLength: Infinity, maxArrayLength: Infinity })

/** Whether a secret stands in a value, in whatever escapes that JSON or URLs allow. */
export function shows(value: unknown, secrets: Iterable<string>): boolean {
  const text = typeof value === 'string' ? value : everything(value, print)
  const forms = [text, unescapedJson(text), unescapedJson(unescapedJson(text)), unescapedUrl(text)]
  for (const secret of secrets) if (forms.some((form) => form.includes(secret))) return true
  return false
}

function unescapedJson(text: string): string {
  return text
    .replaceAll(/\\u([0-9a-fA-F]{4})/g, (_, code: string) => String.fromCharCode(parseInt(code, 16)))
    .replaceAll(/\\(["\\/])/g, '$1')
}

function unescapedUrl(text: string): string {
  return text.replaceAll(/%([2-7][0-9a-fA-F])/g, (_, code: string) => String.fromCharCode(parseInt(code, 16)))
}
