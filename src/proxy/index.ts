export { createProxy } from './proxy.ts'
export type { ProxyCaller, ProxyCors, ProxyFailure, ProxyOptions } from './options.ts'
export type { OperationId } from '../contract/operations.ts'
