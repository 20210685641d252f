import { expectTypeOf, it } from 'vitest'
import type { OperationId, ParamsOf, operations } from '../../src/api/operations.ts'
import type { Schema } from '../../src/api/schema/schema.ts'

type Listed = (typeof operations)[number]

/** What the declaration of an operation says that it takes. */
type Declared<Id extends OperationId, Operation = Extract<Listed, { id: Id }>> = Operation extends {
  pathId: object
}
  ? string
  : Operation extends { documented: true; request: Schema<infer Params> }
    ? Params
    : object

it('OperationId has the id of each operation, and ParamsOf what it declares', () => {
  expectTypeOf<OperationId>().toEqualTypeOf<Listed['id']>()
  type All = { [Id in OperationId]: Declared<Id> }
  expectTypeOf<{ [Id in OperationId]: ParamsOf<Id> }>().toEqualTypeOf<All>()
})
