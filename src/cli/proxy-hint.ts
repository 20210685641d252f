import { ConnectionError } from '../errors/index.ts'

/** Codes of hosts that may only be reached through a proxy. */
const unreachable = ['ENOTFOUND', 'EAI_AGAIN', 'ENETUNREACH', 'EHOSTUNREACH', 'UND_ERR_CONNECT_TIMEOUT']

/** What to do if the proxy of the environment was not used; undefined for other errors. */
export function proxyHint(error: unknown): string | undefined {
  const { HTTPS_PROXY, https_proxy: lowerCase, NODE_USE_ENV_PROXY: isUsed } = process.env
  if (!(error instanceof ConnectionError) || !unreachable.includes(error.reason)) return undefined
  if (!(HTTPS_PROXY ?? lowerCase) || isUsed === '1') return undefined
  return 'HTTPS_PROXY is set, but Node ignores it. Set NODE_USE_ENV_PROXY=1 as well (Node 22.21 or later)'
}
