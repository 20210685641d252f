export { createProxy } from './proxy.ts'
export type { ProxyUser, ProxyCors, ProxyFailure, ProxyOptions } from './options.ts'
export type { ProxyErrorCode } from './error-statuses.ts'
export type { OperationId } from '../../api/operations.ts'
