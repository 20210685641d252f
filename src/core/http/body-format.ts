import { type ServiceError, readServiceError } from '../../api/error-envelope.ts'
import type { ApiError, ApiErrorDetails } from '../../errors/index.ts'

/** The fields of an API's own error body. */
export interface ErrorBody extends Partial<ServiceError> {
  /** Makes the error, instead of the class for the status. */
  readonly toError?: (details: ApiErrorDetails) => ApiError
}

type Replacer = (name: string, value: unknown) => unknown

/** The JSON and error formats of an API. */
export interface BodyFormat {
  /** Media types of responses and errors. */
  readonly accept: string
  /** @throws if the value cannot be serialized. */
  readonly stringify: (value: unknown, replacer?: Replacer) => string | undefined
  /** @throws if the text is not JSON. */
  readonly parse: (text: string) => unknown
  /** Reads an error body; null if it is not the API's own, but a proxy's, for example. */
  readonly readError: (body: unknown) => ErrorBody | null
}

export const serviceFormat: BodyFormat = {
  accept: 'application/json',
  stringify: JSON.stringify,
  parse: JSON.parse,
  readError: readServiceError,
}
