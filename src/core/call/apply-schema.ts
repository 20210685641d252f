import type { StandardSchemaV1 } from '@standard-schema/spec'
import { type Issue, dotPath } from '../../contract/issues.ts'

/** Checks a value by a schema of the caller's. Whatever that does, the value is there and must not be lost to it. */
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
