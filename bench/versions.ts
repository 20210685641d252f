import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { folder, root } from './folders.ts'

const shared = ['ky', 'p-limit', 'p-retry', 'zod', 'esbuild']
const extra = ['openapi-fetch', 'openai', '@octokit/core', '@hey-api/openapi-ts']

/** The versions of the measured packages, in one line. */
export function versions(): string {
  const read = (base: string, name: string): string => {
    const file = join(base, 'node_modules', name, 'package.json')
    return `${name} ${(JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version}`
  }
  return [
    `Node ${process.versions.node} on ${process.platform} ${process.arch}`,
    ...shared.map((name) => read(root, name)),
    ...extra.map((name) => read(folder, name)),
  ].join(', ')
}
