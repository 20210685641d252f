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

export default {
  tsconfig: '../tsconfig.json',
  entryPoints: [...nameOf.keys()],
  // `npm run types` checks the types.
  skipErrorChecking: true,
  validation: { notExported: false },
  excludeExternals: true,
  excludePrivate: true,
  excludeInternal: true,
  disableSources: true,
  readme: 'none',
  plugin: ['typedoc-plugin-markdown', nameModules],
  out: '.vitepress/pages/api',
  router: 'member',
  entryFileName: 'index',
  hideBreadcrumbs: true,
  hidePageHeader: true,
  parametersFormat: 'table',
  interfacePropertiesFormat: 'table',
  typeDeclarationFormat: 'table',
}
