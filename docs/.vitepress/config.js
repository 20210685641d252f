import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { defineConfig } from 'vitepress'
import { writeLlms } from './llms.js'
import { description, fileOf, pages, repository, urlOf } from './places.js'

/** Links of the sidebar, by files of the repository; without files that do not exist. */
const links = (titles) =>
  Object.entries(titles)
    .filter(([file]) => existsSync(pages + fileOf(file)))
    .map(([file, text]) => ({ text, link: urlOf(file) }))

const guides = [
  {
    text: 'Start',
    items: links({
      'docs/home.md': 'Home',
      'docs/start.md': 'Get started',
      'docs/cookbook.md': 'Cookbook',
      'docs/jobs.md': 'Jobs: cron, SQLite, Slack',
      'docs/migrate.md': 'Migrate from fetch',
      'docs/agents.md': 'For coding agents',
    }),
  },
  {
    text: 'Guides',
    items: links({
      'docs/pages.md': 'Pages and resume',
      'docs/credits.md': 'Credits and budgets',
      'docs/cache.md': 'Result cache',
      'docs/errors.md': 'Errors and retries',
      'docs/limits.md': 'Rate limits',
      'docs/telemetry.md': 'Telemetry',
      'docs/fleet.md': 'Fleets',
      'docs/stores.md': 'Stores of shared limits',
      'docs/proxy.md': 'Proxy for browsers',
      'docs/frameworks.md': 'Next, Express, Vue, Svelte, workers',
      'docs/query.md': 'React and TanStack Query',
      'docs/oauth.md': 'OAuth',
      'docs/events.md': 'Events',
      'docs/watch.md': 'Watch for new posts',
      'docs/schemas.md': 'Schemas',
      'docs/export.md': 'Exports',
      'docs/cli.md': 'Command line',
      'docs/testing.md': 'Test your app',
    }),
  },
  {
    text: 'Reference',
    items: links({
      'docs/reference/README.md': 'Calls and prices',
      'docs/options.md': 'Options',
      'docs/api/index.md': 'API',
      'docs/catalog.md': 'Catalog of planets',
    }),
  },
  {
    text: 'More',
    items: links({
      'docs/call.md': 'How a call travels',
      'docs/guarantees.md': 'Guarantees',
      'docs/faults.md': 'Simulated failures',
      'docs/canary.md': 'Search for secrets',
      'docs/contract.md': 'Compare the contract',
      'SECURITY.md': 'Security',
      'CHANGELOG.md': 'Changelog',
      'CONTRIBUTING.md': 'Contributing',
      'CODE_OF_CONDUCT.md': 'Code of conduct',
    }),
  },
]

const reference = readdirSync(`${pages}reference`)
  .filter((name) => name !== 'index.md')
  .map((name) => ({
    text: /^# (.*)$/m.exec(readFileSync(`${pages}reference/${name}`, 'utf8'))[1],
    link: `/reference/${name.replace('.md', '')}`,
  }))

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
      `.vp-doc :is(th, td) { padding: 6px 8px; font-size: 13px }
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
      '/reference/': [
        ...guides.slice(0, 1).map((group) => ({ ...group, collapsed: true })),
        { text: 'Calls', link: '/reference/', items: reference },
        ...guides.slice(2),
      ],
      '/api/': [{ text: 'API', link: '/api/', items: api() }, ...guides.slice(2)],
    },
    outline: [2, 3],
    search: {
      provider: 'local',
      options: {
        detailedView: true,
        // Results of generated tests would hide the guides, which come before the API.
        _render: (source, env, md) =>
          /^(faults|canary)/.test(env.relativePath) ? '' : md.render(source, env),
        miniSearch: { searchOptions: { boostDocument: (id) => (id.startsWith('/api/') ? 0.3 : 1) } },
      },
    },
    ...(repository && { socialLinks: [{ icon: 'github', link: repository }] }),
  },
  buildEnd: ({ outDir }) =>
    writeLlms({ pages, outDir, title: 'social-search-sdk', description, groups: guides }),
})
