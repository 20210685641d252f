/** Writes the API pages: one folder for each import path of the package, one page for each export. */
import { readFileSync } from 'node:fs'
import { Converter } from 'typedoc'

const { paths } = JSON.parse(
  readFileSync(new URL('../tsconfig.json', import.meta.url), 'utf8'),
).compilerOptions
const nameOf = new Map(
  Object.entries(paths).map(([name, [path]]) => [new URL(`../${path}`, import.meta.url).pathname, name]),
)

/** Names each module by its import path instead of its source file. */
function nameModules(app) {
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const module of project.children ?? [])
      module.name = nameOf.get(project.getSymbolIdFromReflection(module)?.fileName) ?? module.name
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
  plugin: ['typedoc-plugin-markdown', nameModules, putClientFirst],
  out: '.vitepress/pages/api',
  router: 'member',
  entryFileName: 'index',
  hideBreadcrumbs: true,
  hidePageHeader: true,
  parametersFormat: 'table',
  interfacePropertiesFormat: 'table',
  typeDeclarationFormat: 'table',
}
