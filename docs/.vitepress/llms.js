import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Long pages that do not help to write a program. */
const leftOut = ['/changelog', '/contributing']

/**
 * Writes each page as Markdown beside its HTML, `llms.txt` with a list of them, and `llms-full.txt` with their texts.
 *
 * @param pages The folder of the pages.
 * @param groups The sidebar: groups of links to pages.
 */
export function writeLlms({ pages, outDir, title, description, groups }) {
  const texts = new Map(
    groups
      .flatMap(({ items }) => items)
      .map(({ link }) => [link, readFileSync(pages + fileOf(link), 'utf8')]),
  )
  for (const link of texts.keys()) copyFileSync(pages + fileOf(link), join(outDir, fileOf(link)))

  const lists = groups.map(({ text, items }) =>
    [`## ${text}\n`, ...items.map((item) => entryOf(item, texts.get(item.link)))].join('\n'),
  )
  writeFileSync(join(outDir, 'llms.txt'), [`# ${title}`, `> ${description}`, ...lists].join('\n\n') + '\n')
  const full = [...texts].filter(([link]) => !leftOut.includes(link)).map(([, text]) => text.trim())
  writeFileSync(join(outDir, 'llms-full.txt'), full.join('\n\n---\n\n') + '\n')
}

const fileOf = (link) => `${link.replace(/\/$/, '/index')}.md`

/** A page in the list: its title, and the first sentence of its text. */
function entryOf({ text, link }, page) {
  const paragraph = page
    .replaceAll(/^```[^]*?^```$/gm, '')
    .split(/\n\s*\n/)
    .find((block) => /^[^#|>!<\s-]/.test(block))
  const plain = (paragraph ?? '').replaceAll('\n', ' ').replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
  const sentence = /^.*?[.:](?=\s|$)/.exec(plain)?.[0] ?? plain
  return `- [${text}](${fileOf(link)})${sentence && `: ${sentence.replace(/:$/, '.')}`}`
}
