import * as z from 'zod/mini'
// By name, since `z.core` as a value would keep all of zod, with its translations, in a bundle.
import { $constructor, $ZodObjectJIT } from 'zod/v4/core'

/**
 * Whether zod may compile its parsers of objects, which makes them five times as fast. Browsers and workers may forbid
 * `new Function`, and report each try.
 */
const { process } = globalThis as { process?: { versions?: { node?: unknown } } }
const compiles = process?.versions?.node !== undefined && !('document' in globalThis)

const CompiledParser: z.core.$constructor<z.core.$ZodObject> = $ZodObjectJIT
const MiniObject: z.core.$constructor<z.ZodMiniObject> = z.ZodMiniObject

/** An object of zod/mini with the compiled parser of classic zod. */
const CompiledObject: z.core.$constructor<z.ZodMiniObject> = $constructor(
  'CompiledObject',
  (schema, definition) => {
    // The first one sets the parser.
    CompiledParser.init(schema, definition)
    MiniObject.init(schema, definition)
  },
)

const compiled = (catchall?: z.ZodMiniType) => (shape: z.core.$ZodShape) =>
  new CompiledObject({ type: 'object', shape, ...(catchall && { catchall }) })

/** An object that may have further fields; its output drops them. */
export const object: typeof z.object = compiles ? (compiled() as typeof z.object) : z.object

/** An object that may not have further fields. */
export const strictObject: typeof z.strictObject = compiles
  ? (compiled(z.never()) as typeof z.strictObject)
  : z.strictObject

/** An object that may have further fields; its output keeps them. */
export const looseObject: typeof z.looseObject = compiles
  ? (compiled(z.unknown()) as typeof z.looseObject)
  : z.looseObject
