import { describeService } from '../../src/extensions/sandbox/description.ts'

// A description is parsed JSON, which tests change at will.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type Json = any

/** The sandbox's description, to be changed. Operations share schemas, which a structured clone would still do. */
export const described = (): Json => JSON.parse(JSON.stringify(describeService()))

/** The operation that most changes are made to. */
export const search = (description: Json): Json => description.paths['/data/microblog/tweets/search'].post
export const requestOf = (operation: Json): Json => operation.requestBody.content['application/json'].schema
export const responseOf = (operation: Json): Json =>
  operation.responses[200].content['application/json'].schema
