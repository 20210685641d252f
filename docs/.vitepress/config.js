import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { defineConfig } from 'vitepress'
import groups from '../guides.json' with { type: 'json' }
import { writeLlms } from './llms.js'
import { description, pages, repository, urlOf } from './places.js'
import { renderForSearch, search } from './search.js'

/** The groups of `docs/guides.json` as a sidebar, with the pages that only the site has. */
const guides = Object.entries({
  ...groups,
  Start: { 'README.md': 'Home', ...groups.Start },
  Reference: { ...groups['Reference'], 'docs/api/index.md': 'API' },
  'For maintainers': {
    ...groups['For maintainers'],
    'CHANGELOG.md': 'Changelog',
    'CONTRIBUTING.md': 'Contributing',
    'CODE_OF_CONDUCT.md': 'Code of conduct',
  },
}).map(([text, titles]) => ({
  text,
  items: Object.entries(titles).map(([file, text]) => ({ text, link: urlOf(file) })),
}))
/** Their groups below a list of calls or names: VitePress nests buttons where a group can be closed. */
const groupsOfGuides = {
  text: 'Guides',
  items: guides.map(({ text, items: [first] }) => ({ text, link: first.link })),
}

const reference = readdirSync(`${pages}reference`)
  .filter((name) => name !== 'index.md')
  .map((name) => ({
    text: /^# (.*)$/m.exec(readFileSync(`${pages}reference/${name}`, 'utf8'))[1],
    link: `/reference/${name.replace('.md', '')}`,
  }))

const isClient = ({ text }) => Number(text === 'SocialSearch')

/** The import paths of the package, each with its classes and functions. */
function api(folder = 'api/social-search-sdk') {
  const folders = readdirSync(pages + folder, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  const names = folders.map(({ name }) => name)
  const items = names
    .filter((name) => name === 'classes' || name === 'functions')
    .flatMap((kind) =>
      readdirSync(`${pages}${folder}/${kind}`).map((file) => `${kind}/${file.replace('.md', '')}`),
    )
    .map((path) => ({ text: path.replace(/.*\//, ''), link: `/${folder}/${path}` }))
    .sort((a, b) => isClient(b) - isClient(a))
  const text = folder.replace(/^api\/(social-search-sdk(?=\/))?/, '')
  const deeper = names
    .map((name) => `${folder}/${name}`)
    .filter((path) => existsSync(`${pages}${path}/index.md`))
  return [{ text, link: `/${folder}/`, collapsed: true, items }, ...deeper.flatMap((path) => api(path))]
}

export default defineConfig({
  title: 'social-search-sdk',
  // Below which path the site is served, such as `/name/`.
  base: process.env.DOCS_BASE ?? '/',
  description,
  srcDir: pages,
  cleanUrls: true,
  metaChunk: true,
  head: [
    ['link', { rel: 'icon', href: 'data:,' }],
    [
      'style',
      {},
      `:root { --vp-code-lang-color: var(--vp-c-text-2) }
      .vp-doc :is(th, td) { padding: 6px 8px; font-size: 13px }
      .vp-doc [class*='language-'] code { font-size: 13px }
      /* Lines that are too long go on below, indented; phones scroll. */
      @media (min-width: 960px) {
        .vp-doc [class*='language-'] code { padding: 0 16px; white-space: pre-wrap }
        .vp-doc .line {
          display: inline-block;
          padding-left: 4ch;
          text-indent: -4ch;
          overflow-wrap: anywhere;
        }
      }
      .vp-doc img { height: auto }
      .dark .in-light, html:not(.dark) .in-dark { display: none }
      @media (max-width: 640px) {
        .vp-doc td { min-width: 8em }
        .vp-doc td:first-child { min-width: 12em }
        .vp-doc td code { overflow-wrap: anywhere }
      }`,
    ],
  ],
  vite: { build: { chunkSizeWarningLimit: 2000 } },
  markdown: {
    linkify: false,
    // The default themes have too little contrast on the gray of code blocks.
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    // The anchors that GitHub gives headings.
    anchor: {
      slugify: (heading) =>
        heading
          .toLowerCase()
          .replaceAll(/[^\p{L}\p{N}_\s-]/gu, '')
          .replaceAll(/\s/g, '-'),
    },
  },
  themeConfig: {
    nav: [
      { text: 'Guides', link: urlOf('docs/start.md'), activeMatch: '^/(?!api|reference|call|guarantees)' },
      { text: 'Reference', link: urlOf('docs/reference/README.md') },
      { text: 'API', link: urlOf('docs/api/index.md') },
      { text: 'Guarantees', link: urlOf('docs/guarantees.md') },
    ],
    sidebar: {
      '/': guides,
      '/reference/': [{ text: 'Calls', link: '/reference/', items: reference }, groupsOfGuides],
      '/api/': [{ text: 'API', link: '/api/', items: api() }, groupsOfGuides],
    },
    outline: [2, 3],
    search: {
      provider: 'local',
      options: {
        detailedView: true,
        _render: renderForSearch,
        miniSearch: search,
        // Its name is what it shows: the word, and a key.
        translations: { button: { buttonText: 'Search', buttonAriaLabel: '' } },
      },
    },
    ...(repository && { socialLinks: [{ icon: 'github', link: repository }] }),
  },
  buildEnd: ({ outDir }) =>
    writeLlms({ pages, outDir, title: 'social-search-sdk', description, groups: guides }),
})
