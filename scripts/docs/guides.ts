import { dirname, relative } from 'node:path'
import groups from '../../docs/guides.json' with { type: 'json' }

/** All guides by reader: of each group, its pages and their titles, in the order of the sidebar. */
export const guideGroups: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map(
  Object.entries(groups).map(([group, pages]) => [group, new Map(Object.entries(pages))]),
)

/** A page with the list of all guides in its section "Guides", if it has one. */
export function withGuides(path: string, page: string): string {
  const list = [...guideGroups].map(([group, pages]) => {
    const links = [...pages].map(([guide, title]) => `[${title}](${relative(dirname(path), guide)})`)
    return `- **${group}**: ${links.join(', ')}`
  })
  return page.replace(/(?<=^## Guides\n)[^]*?(?=\n## |$(?![^]))/m, `\n${list.join('\n')}\n`)
}
