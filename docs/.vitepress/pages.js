/** Copies the pages to `pages`, where they have their places on the site, with links that work there. */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { fileOf, pages, repository, root } from './places.js'

const files = ['AGENTS.md', 'SECURITY.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'CODE_OF_CONDUCT.md']
  .concat(readdirSync(`${root}docs`).map((name) => `docs/${name}`))
  .concat(readdirSync(`${root}docs/reference`).map((name) => `docs/reference/${name}`))

rmSync(pages, { recursive: true, force: true })
for (const file of files) {
  const target = join(pages, fileOf(file))
  mkdirSync(dirname(target), { recursive: true })
  if (/\.(webp|svg|png)$/.test(file)) copyFileSync(root + file, target)
  if (file.endsWith('.md')) writeFileSync(target, textOf(file))
}

function textOf(file) {
  const linked = /(!?\[(?:[^\]]|\](?!\())*\])\((?!https?:|#)([^)#\s]+)(#[^)\s]*)?\)/g
  return readFileSync(root + file, 'utf8').replaceAll(linked, (_, text, path, hash = '') => {
    const target = join(dirname(file), path)
    if (!existsSync(root + target)) throw new Error(`${file} links to ${path}, which does not exist`)
    if (files.includes(target)) return `${text}(/${fileOf(target)}${hash})`
    // Only the repository has this file.
    return repository === undefined
      ? `${text.slice(1, -1)} (\`${target}\`)`
      : `${text}(${repository}/blob/main/${target}${hash})`
  })
}
