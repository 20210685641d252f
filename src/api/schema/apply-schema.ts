import type { StandardSchemaV1 } from '@standard-schema/spec'
import { type Issue, dotPath } from '../issues.ts'

/** Validates a value with the caller's schema. If the schema throws, returns the value with an issue. */
export async function applySchema(
  schema: StandardSchemaV1,
  value: unknown,
): Promise<{ value: unknown; issues: Issue[] }> {
  try {
    const result = await schema['~standard'].validate(value)
    if (result.issues === undefined) return { value: result.value, issues: [] }
    const issues = result.issues.map(({ path = [], message }) => ({
      path: dotPath(path.map((segment) => (typeof segment === 'object' ? segment.key : segment))),
      message: String(message as unknown),
    }))
    return { value, issues }
  } catch {
    return { value, issues: [{ path: '', message: 'the schema threw an error' }] }
  }
}
