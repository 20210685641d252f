/** Writes the API pages: one folder for each import path of the package, one page for each export. */
import { Converter } from 'typedoc'
import { entryPoints } from '../scripts/entry-points.ts'

/** Import paths, by the source file of each. */
const nameOf = new Map(
  entryPoints.map(({ path, source }) => [new URL(`../${source}`, import.meta.url).pathname, path]),
)

/** Names each module by its import path instead of its source file, and fails if it has none. */
function nameModules(app) {
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    const modules = project.children ?? []
    for (const module of modules) {
      const name = nameOf.get(project.getSymbolIdFromReflection(module)?.fileName)
      if (name === undefined) throw new Error(`${module.name} is no import path of the package`)
      module.name = name
    }
    if (modules.length !== nameOf.size)
      throw new Error(`${modules.length} of ${nameOf.size} import paths have pages`)
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
