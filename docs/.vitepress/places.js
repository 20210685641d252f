import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../../', import.meta.url))
export const pages = fileURLToPath(new URL('pages/', import.meta.url))

const packageJson = JSON.parse(readFileSync(`${root}package.json`, 'utf8'))
export const { description } = packageJson
/** The address of the repository, if `package.json` names it. */
export const repository = packageJson.repository?.url.replaceAll(/^git\+|\.git$/g, '')

/** Where a file of the repository is below `pages`. */
export const fileOf = (file) =>
  file
    .replace(/^docs\//, '')
    .replace(/^AGENTS\.md$/, 'coding-agents.md')
    .replace(/(^|\/)README\.md$/, '$1index.md')
    .replace(/^[A-Z_]+\.md$/, (name) => name.toLowerCase())

/** The URL of a file of the repository. */
export const urlOf = (file) => `/${fileOf(file).replace(/(index)?\.md$/, '')}`
