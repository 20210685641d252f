import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { entryPoints } from '../../scripts/entry-points.ts'
import { root } from './tarball.ts'

const file = join(import.meta.dirname, 'surface.md')
const dist = join(root, 'dist')
const entries = entryPoints.map(({ path, file }) => ({
  name: path,
  path: join(root, file.replace('.js', '.d.ts')),
}))
const program = ts.createProgram(
  entries.map(({ path }) => path),
  { module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler, skipLibCheck: true },
)
const checker = program.getTypeChecker()
const printer = ts.createPrinter({ removeComments: true })

/**
 * Whether `surface.md` has the public declarations of the built package, without their docstrings.
 *
 * @param update Whether to write it if not.
 */
export function checkSurface(update: boolean): boolean {
  const surface = render()
  if (readFileSync(file, 'utf8') === surface) return true
  if (update) writeFileSync(file, surface)
  return update
}

/** The files that a user's compiler loads for an import path, without TypeScript's own libraries. */
export function typesLoadedBy(name: string): string[] {
  const { path } = entries.find((entry) => entry.name === name) ?? {}
  const options = { ...program.getCompilerOptions(), noLib: true, types: [] }
  return ts
    .createProgram([path ?? ''], options)
    .getSourceFiles()
    .map(({ fileName }) => fileName)
}

const exported = entries.map(({ name, path }) => ({ name, symbols: exportsOf(path) }))
const declared = closure(exported.flatMap(({ symbols }) => symbols))

/** Types that public declarations mention and no import path exports. */
export function unnamedTypes(): string[] {
  const named = new Set(exported.flatMap(({ symbols }) => symbols.map(target)))
  return [...declared].filter((symbol) => !named.has(symbol)).map(({ name }) => name)
}

function render(): string {
  const declarations = [...declared].flatMap(print).sort()
  return [
    '# Public declarations',
    'Written by `npm run packaging -- --update`. A difference here is a change for users: say so in the CHANGELOG.',
    ...exported.map(
      ({ name, symbols }) => `## ${name}\n\n${symbols.map((symbol) => `- ${symbol.name}`).join('\n')}`,
    ),
    '## Declarations',
    `\`\`\`ts\n${declarations.join('\n\n')}\n\`\`\`\n`,
  ].join('\n\n')
}

function exportsOf(path: string): ts.Symbol[] {
  const source = program.getSourceFile(path)
  const module = source && checker.getSymbolAtLocation(source)
  if (module === undefined) throw new Error(`${path} is not a module; run npm run build`)
  return checker.getExportsOfModule(module).sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** The symbols, and the types of the package that their declarations mention. */
function closure(symbols: readonly ts.Symbol[], found = new Set<ts.Symbol>()): Set<ts.Symbol> {
  for (const symbol of symbols.map(target)) {
    const declarations = declarationsOf(symbol)
    if (found.has(symbol) || declarations.length === 0) continue
    found.add(symbol)
    if (!isComputed(symbol)) closure(declarations.flatMap(mentions), found)
  }
  return found
}

function mentions(node: ts.Node): ts.Symbol[] {
  const symbol = ts.isIdentifier(node) ? checker.getSymbolAtLocation(node) : undefined
  const inner: ts.Symbol[] = symbol ? [symbol] : []
  ts.forEachChild(node, (child) => {
    // Where users call a constructor, the types of its parameters are exported.
    if (!isPrivate(child) && !ts.isConstructorDeclaration(child)) inner.push(...mentions(child))
  })
  return inner
}

/** The top-level declarations of a symbol in the package; none for a member, a parameter or another package. */
function declarationsOf({ declarations = [] }: ts.Symbol): ts.Node[] {
  return declarations.filter(
    (node) => ts.isSourceFile(node.parent) && node.getSourceFile().fileName.startsWith(dist),
  )
}

/** Whether a type is read from a value, such as the ids from the list of operations. */
function isComputed({ declarations = [] }: ts.Symbol): boolean {
  const readsValue = (node: ts.Node): boolean =>
    ts.isTypeQueryNode(node) || (ts.forEachChild(node, readsValue) ?? false)
  return declarations.some((node) => ts.isTypeAliasDeclaration(node) && readsValue(node))
}

function print(symbol: ts.Symbol): string[] {
  if (isComputed(symbol)) {
    const type = checker.getDeclaredTypeOfSymbol(symbol)
    const members = (type.isUnion() ? type.types : [type]).map((member) => checker.typeToString(member))
    return [`type ${symbol.name} = ${members.sort().join(' | ')};`]
  }
  return declarationsOf(symbol).map((node) => {
    const kept = ts.isClassDeclaration(node)
      ? ts.factory.updateClassDeclaration(
          ...([node, node.modifiers, node.name, node.typeParameters, node.heritageClauses] as const),
          node.members.filter((member) => !isPrivate(member)),
        )
      : node
    // Names that two modules share get a number, which depends on the order of the modules.
    return printer.printNode(ts.EmitHint.Unspecified, kept, node.getSourceFile()).replaceAll(/\$\d+\b/g, '')
  })
}

function isPrivate(node: ts.Node): boolean {
  return (
    (ts.canHaveModifiers(node) &&
      ts.getModifiers(node)?.some(({ kind }) => kind === ts.SyntaxKind.PrivateKeyword)) ??
    (ts.isPropertyDeclaration(node) && ts.isPrivateIdentifier(node.name))
  )
}

function target(symbol: ts.Symbol): ts.Symbol {
  return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
}
