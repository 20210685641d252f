import { readErrorEnvelope } from '../../api/error-envelope.ts'
import type { Issue } from '../../api/issues.ts'
import { type ProxyError, readProxyError } from './proxy-protocol.ts'

/** The fields of an API's own error body; those of a proxy only if it uses this package. */
export interface ErrorBody extends Partial<ProxyError> {
  readonly code?: string
  readonly message?: string
  readonly issues?: readonly Issue[]
}

/** The JSON and error formats of an API. */
export interface Dialect {
  /** Media types of responses and errors. */
  readonly accept: string
  /** @throws if the value cannot be serialized. */
  readonly stringify: (value: unknown) => string | undefined
  /** @throws if the text is not JSON. */
  readonly parse: (text: string) => unknown
  /** Reads an error body; null if it is not the API's own, but a proxy's, for example. */
  readonly readError: (body: unknown) => ErrorBody | null
}

export const serviceDialect: Dialect = {
  accept: 'application/json',
  stringify: JSON.stringify,
  parse: JSON.parse,
  readError: (body) => {
    const envelope = readErrorEnvelope(body)
    return envelope && { ...envelope.error, ...readProxyError(body) }
  },
}
