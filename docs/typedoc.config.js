/** Writes the API pages: one folder for each import path of the package, one page for each export. */
import { readFileSync } from 'node:fs'
import { Comment, CommentTag, Converter } from 'typedoc'
import { entryPoints } from '../scripts/entry-points.ts'

/** Import paths, by the source file of each. */
const nameOf = new Map(
  entryPoints.map(({ path, source }) => [new URL(`../${source}`, import.meta.url).pathname, path]),
)

/** What each import path is for. */
const purposeOf = {
  '.': 'The client, its calls, budgets and errors.',
  './sandbox': 'Simulates the service in memory, for tests.',
  './sandbox/node': 'Serves a sandbox over HTTP.',
  './schemas': 'zod schemas of records, bodies and params.',
  './catalog': "A client of the service's sample area, a catalog of planets, which costs nothing.",
  './shared': 'Rate limits and budgets that processes share, and their stores.',
  './oauth': 'Logs users in, and refreshes their tokens.',
  './proxy': 'Lets web pages make calls without a key.',
  './events': 'Receives what the service sends to your URLs.',
  './query': 'Options for TanStack Query, which pay once.',
  './export': 'CSV and JSON Lines from searches.',
  './watch': 'Finds new posts of searches, within a budget.',
  './cache': 'Keeps paid answers, so that repeated calls are free.',
  './otel': 'OpenTelemetry spans and metrics of calls.',
  './tools': 'Calls as tools for language models.',
  './mcp': 'Serves the tools over MCP.',
  './node': "Mounts a proxy, receiver or MCP server in Node's `http`.",
}

/** Names each module by its import path instead of its source file, and fails if it has none, or if nothing says what it is for. */
function nameModules(app) {
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    const modules = project.children ?? []
    for (const module of modules) {
      const name = nameOf.get(project.getSymbolIdFromReflection(module)?.fileName)
      if (name === undefined) throw new Error(`${module.name} is no import path of the package`)
      module.name = name
      const purpose = purposeOf[name.replace('social-search-sdk', '.')]
      if (purpose === undefined) throw new Error(`purposeOf has no sentence about ${name}`)
      module.comment = new Comment([{ kind: 'text', text: purpose }])
    }
    if (modules.length !== nameOf.size)
      throw new Error(`${modules.length} of ${nameOf.size} import paths have pages`)
  })
}

/** Lists types last that a program meets, but rarely has to name. */
function putRarelyNamedLast(app) {
  const source = readFileSync(new URL('../src/rarely-named.ts', import.meta.url), 'utf8')
  const names = [...source.matchAll(/^export type \{([^}]*)\}/gm)].flatMap(([, list]) => list.match(/\w+/g))
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    const [root] = project.children ?? []
    for (const name of names) {
      const type = root.getChildByName([name])
      if (type === undefined) throw new Error(`${name} has no page`)
      type.comment ??= new Comment()
      type.comment.blockTags.push(new CommentTag('@group', [{ kind: 'text', text: 'Types you rarely name' }]))
    }
  })
}

/** Lists the client before the other classes. */
function putClientFirst(app) {
  const isClient = ({ name }) => Number(name === 'SocialSearch')
  const sort = ({ project }) => {
    for (const { groups = [] } of project.children ?? [])
      for (const { children } of groups) children.sort((a, b) => isClient(b) - isClient(a))
  }
  // After typedoc has made and sorted the groups.
  app.converter.on(Converter.EVENT_RESOLVE_END, sort, -1000)
}

export default {
  tsconfig: '../tsconfig.json',
  entryPoints: [...nameOf.keys()],
  // The client comes first.
  sortEntryPoints: false,
  // `npm run types` checks the types.
  skipErrorChecking: true,
  validation: { notExported: false },
  excludeExternals: true,
  excludePrivate: true,
  excludeInternal: true,
  disableSources: true,
  readme: 'none',
  plugin: ['typedoc-plugin-markdown', nameModules, putRarelyNamedLast, putClientFirst],
  out: '.vitepress/pages/api',
  router: 'member',
  entryFileName: 'index',
  hideBreadcrumbs: true,
  hidePageHeader: true,
  parametersFormat: 'table',
  indexFormat: 'table',
  interfacePropertiesFormat: 'table',
  typeDeclarationFormat: 'table',
}
