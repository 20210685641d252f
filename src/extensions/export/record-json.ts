import { describeValue } from '../../errors/check-options.ts'
import { ConfigurationError } from '../../errors/index.ts'
import { wellFormedJson } from '../../lib/json.ts'

/**
 * The JSON text of a record, or of a part of one, without halves of characters. The output of a schema of yours may be anything.
 *
 * @throws {ConfigurationError} for a value that is not JSON.
 */
export function jsonOf(value: unknown): string {
  const text = wellFormedJson(value)
  if (text === undefined)
    throw new ConfigurationError(`a record cannot be written as JSON, got ${describeValue(value)}`)
  return text
}
