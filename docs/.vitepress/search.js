import groups from '../guides.json' with { type: 'json' }
import { fileOf, urlOf } from './places.js'

const titles = new Map(
  Object.values(groups).flatMap((pages) =>
    Object.entries(pages).map(([file, title]) => [fileOf(file), title]),
  ),
)

/** What the search finds in a page: its text, below its title in the sidebar, which names what people look for. */
export function renderForSearch(source, env, md) {
  const title = titles.get(env.relativePath)
  return md.render(title === undefined ? source : source.replace(/^# .*$/m, `# ${title}`), env)
}

const urls = Object.entries(groups).map(([group, pages]) => [group, Object.keys(pages).map(urlOf)])
const first = urls
  .filter(([group]) => ['Start', 'Collect posts', 'Use it'].includes(group))
  .flatMap(([, pages]) => pages)
const others = urls.filter(([group]) => group !== 'For maintainers').flatMap(([, pages]) => pages)

/** Options of MiniSearch. VitePress sends functions to the browser as text, so they contain what they need. */
export const search = {
  options: {
    // The singular finds the plural, and the other way round. The small words of a question find every page.
    processTerm: (term) =>
      /^(a|do|does|how|i|is|it|my|the|to|what)$/i.test(term)
        ? null
        : term.toLowerCase().replace(/([^s])s$/, '$1'),
  },
  searchOptions: {
    boostDocument: new Function(
      'id',
      `const page = id.replace(/#.*/, '')
      if (/^\\/(cookbook|troubleshooting|stores)$/.test(page)) return 0.7 // the guides explain, these answer one case
      return ${JSON.stringify(first)}.includes(page) ? 1.5 : ${JSON.stringify(others)}.includes(page) ? 1 : 0.2`,
    ),
  },
}
