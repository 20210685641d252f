// A page may forbid `new Function`, with which zod compiles its parsers.
export { looseObject, object, strictObject } from 'zod/mini'
