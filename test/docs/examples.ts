import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { entryPoints } from '../../scripts/entry-points.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
/** The sources of each import path of the package. */
const entries = entryPoints.map(({ path, source }) => [path, root + source] as const)

/** The code after each `@example` in a docstring. */
export const examples = globSync('src/**/*.ts', { cwd: root })
  .sort()
  .flatMap((source) =>
    [...readFileSync(root + source, 'utf8').matchAll(/^ *\* @example\n((?: *\* (?!@).*\n)+)/gm)].map(
      ([, lines = ''], index) => ({
        source: `${source} (${index + 1})`,
        file: `${source.replaceAll('/', '-')}.${index}.ts`,
        text: lines.replaceAll(/^ *\* /gm, ''),
      }),
    ),
  )

/** What examples take as given: names that stand for the reader's own. */
export const givenToExamples = `
import type { MicroblogSearchParams, SocialSearch, WalkState } from 'social-search-sdk'
import type { RedisClientType } from 'redis'
import type { OAuthClient, PendingAuthorization } from 'social-search-sdk/oauth'
import type { WatchState } from 'social-search-sdk/watch'
declare global {
  const apiKey: string, baseUrl: string, query: string, url: string, secret: string, token: string
  const clientId: string, clientSecret: string, successCallbackUrl: string, failureCallbackUrl: string
  const client: SocialSearch, request: Request
  function load(): Promise<WalkState<MicroblogSearchParams> | null>
  function loadState(): Promise<WatchState | null>
  function save(...what: unknown[]): Promise<void>
  function later(seconds?: number): void
  function salvage(body: unknown): void
  function review(...what: unknown[]): void
  function userOf(request: Request): Promise<{ id: string } | null>
  const error: unknown, stored: WatchState | null, redis: RedisClientType
  const oauth: OAuthClient, pending: PendingAuthorization
  const createServer: typeof import('node:http').createServer
  function useQuery(options: object): { data: unknown }
  function useMutation(options: object): { mutate(variables: object): void }
  function useInfiniteQuery(options: object): { data: unknown; fetchNextPage(): void }
}
`

/** A module that imports all of the package. */
export const everything = entries.map(([path]) => `import '${path}'`).join('\n')

/** The import path of each value of the package, by its name, as the files of the paths spell them. */
const pathOf = new Map(
  entries.toReversed().flatMap(([path, file]) => {
    const text = readFileSync(file, 'utf8').replaceAll(/^export \* from '(.*)'$/gm, (_, other: string) =>
      readFileSync(join(dirname(file), other), 'utf8'),
    )
    const listed = [...text.matchAll(/^export \{([^}]*)\}/gm)].flatMap(([, names = '']) => names.split(','))
    const declared = [...text.matchAll(/^export (?:async )?(?:function|class) (\w+)/gm)].map(
      ([, name]) => name,
    )
    const names = [...listed, ...declared].flatMap((name) => /^\s*(\w+)\s*$/.exec(name ?? '')?.[1] ?? [])
    return names.map((name) => [name, path] as const)
  }),
)

/** An example as a module: its statements in a function, so that `return` and `await` are at home. */
export function exampleModule(example: string): string {
  const imports = /^import [^]*?from '.*$/gm
  const sample = withImports(example)
  const statements = sample
    .replace(imports, '')
    .replaceAll(/^export default /gm, 'void ')
    .replaceAll(/^export (?!\{)/gm, '')
  return `${(sample.match(imports) ?? []).join('\n')}\nasync () => {\n${statements}}\nexport {}`
}

/** An example with imports of what it uses of the package: docstrings leave them out. */
function withImports(example: string): string {
  const declared = (example.match(/^const [^]*? = /gm) ?? []).join()
  const uses = (name: string, text: string) => new RegExp(`\\b${name}\\b`).test(text)
  return [...pathOf]
    .filter(([name]) => uses(name, example) && !uses(name, declared))
    .map(([name, path]) => `import { ${name} } from '${path}'\n`)
    .concat(example)
    .join('')
}

/** The functions and classes that users can import. */
export function publicNames(service: ts.LanguageService) {
  const program = service.getProgram()
  if (program === undefined) throw new Error('the example has no program')
  const checker = program.getTypeChecker()
  return entries.flatMap(([from, file]) => {
    const source = program.getSourceFile(file)
    const module = source && checker.getSymbolAtLocation(source)
    if (module === undefined) throw new Error(`${file} is not part of the program`)
    return checker.getExportsOfModule(module).flatMap((symbol) => {
      const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
      if (!(target.flags & (ts.SymbolFlags.Class | ts.SymbolFlags.Function))) return []
      const hasExample = target.getJsDocTags(checker).some(({ name }) => name === 'example')
      return { name: symbol.name, from, hasExample }
    })
  })
}
