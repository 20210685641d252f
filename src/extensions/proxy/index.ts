export { createProxy } from './proxy.ts'
export type { ProxyCaller, ProxyCors, ProxyFailure, ProxyOptions } from './options.ts'
export type { OperationId } from '../../api/operations.ts'
