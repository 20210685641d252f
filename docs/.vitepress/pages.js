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

const files = [
  'README.md',
  'AGENTS.md',
  'SECURITY.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'CODE_OF_CONDUCT.md',
]
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
  const text = foldSetUp(withPictures(readFileSync(root + file, 'utf8')))
  return text.replaceAll(linked, (_, text, path, hash = '') => {
    const target = join(dirname(file), path)
    if (!existsSync(root + target)) throw new Error(`${file} links to ${path}, which does not exist`)
    if (files.includes(target)) return `${text}(/${fileOf(target)}${hash})`
    // Only the repository has this file.
    return repository === undefined
      ? `${text.slice(1, -1)} (\`${target}\`)`
      : `${text}(${repository}/blob/main/${target}${hash})`
  })
}

/** Pictures in Markdown and in <picture> as images with their size, so that the page does not move when they arrive. */
function withPictures(text) {
  const image = (path, alt, name = '') => {
    const [width, height] = sizeOf(readFileSync(root + path))
    return `<img src="/${fileOf(path)}" alt="${alt}" width="${width}" height="${height}"${name}>`
  }
  return text
    .replaceAll(
      /^<picture>[^]*?srcset="(.*?)"[^]*?src="(.*?)"[^]*?alt="(.*?)"[^]*?<\/picture>/gm,
      (_, dark, light, alt) =>
        [image(light, alt, ' class="in-light"'), image(dark, alt, ' class="in-dark"')].join(''),
    )
    .replaceAll(/^!\[(.*)\]\((.*\.webp)\)$/gm, (_, alt, path) => image(path, alt))
}

/** Width and height of a picture in WebP's extended format, which Chromium writes. */
function sizeOf(bytes) {
  if (bytes.toString('latin1', 12, 16) !== 'VP8X') throw new Error('a picture is no extended WebP')
  return [bytes.readUIntLE(24, 3) + 1, bytes.readUIntLE(27, 3) + 1]
}

/** The sample that the others of its page begin with is read once, so it is closed. */
function foldSetUp(text) {
  return text.replace(/^(.*begin with this.*:)\n\n(```ts\n[^]*?^```)$/m, '$1\n\n::: details Set-up\n$2\n:::')
}
