/** Copies the pages to `pages`, where they have their places on the site, with links that work there. */
import {
  appendFileSync,
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
// The home page ends with the prices.
const [, calls] = /^## Calls\n([^]*?)^## /m.exec(textOf('docs/reference/README.md'))
appendFileSync(join(pages, 'index.md'), `\n## Calls and prices\n${calls}`)

function textOf(file) {
  const linked = /(!?\[(?:[^\]]|\](?!\())*\])\((?!https?:|#)([^)#\s]+)(#[^)\s]*)?\)/g
  return readFileSync(root + file, 'utf8').replaceAll(linked, (_, text, path, hash = '') => {
    const target = join(dirname(file), path)
    if (!existsSync(root + target)) throw new Error(`${file} links to ${path}, which does not exist`)
    const dark = target.replace('.webp', '-dark.webp')
    if (text.startsWith('!') && files.includes(dark))
      return [
        [target, 'in-light'],
        [dark, 'in-dark'],
      ]
        .map(([file, name]) => `<img class="${name}" src="/${fileOf(file)}" alt="${text.slice(2, -1)}">`)
        .join('')
    if (files.includes(target)) return `${text}(/${fileOf(target)}${hash})`
    // Only the repository has this file.
    return repository === undefined
      ? `${text.slice(1, -1)} (\`${target}\`)`
      : `${text}(${repository}/blob/main/${target}${hash})`
  })
}
