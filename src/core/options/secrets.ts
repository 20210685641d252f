import { Redactor } from '../../lib/redactor.ts'
import type { ClientOptions } from './types.ts'

/** Knows the secrets among the options, which no text of the client shows. `Credential` adds each token of a provider. */
export function redactorOf({ apiKey }: ClientOptions): Redactor {
  const redactor = new Redactor()
  if (typeof apiKey === 'string') redactor.add(apiKey)
  return redactor
}
