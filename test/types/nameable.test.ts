import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { entryPoints } from '../../scripts/entry-points.ts'
import { languageServiceFor } from '../support/typescript.ts'

const imports = entryPoints.map(({ source }) => `import '../${source}'`).join('\n')
const { service } = languageServiceFor(new Map([['entries.ts', imports]]))
const program = service.getProgram()!
const checker = program.getTypeChecker()
const source = fileURLToPath(new URL('../../src/', import.meta.url)).replaceAll('\\', '/')

/** What the import paths export. */
const exported = new Set(
  entryPoints.flatMap(({ source: path }) => {
    const file = program.getSourceFiles().find(({ fileName }) => fileName.endsWith(`/${path}`))
    return checker.getExportsOfModule(checker.getSymbolAtLocation(file!)!).map(target)
  }),
)

function target(symbol: ts.Symbol): ts.Symbol {
  return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
}

/** Whether a type is a declaration of its own, not a parameter of one. Standard Schema's is another package's. */
function isNamed(symbol: ts.Symbol): boolean {
  const named = ts.SymbolFlags.Type & ~ts.SymbolFlags.TypeParameter & ~ts.SymbolFlags.EnumMember
  if (symbol.name === 'StandardSchemaV1') return true
  return (
    (symbol.flags & named) !== 0 &&
    (symbol.declarations ?? []).some(
      (node) => ts.isSourceFile(node.parent) && node.getSourceFile().fileName.startsWith(source),
    )
  )
}

/** Parts of a declaration that the types of its values do not name. */
function isHidden(node: ts.Node): boolean {
  const modifiers = (ts.canHaveModifiers(node) && ts.getModifiers(node)) || []
  const isPrivate = modifiers.some(
    ({ kind }) => kind === ts.SyntaxKind.PrivateKeyword || kind === ts.SyntaxKind.ProtectedKeyword,
  )
  const { name } = node as { name?: ts.Node }
  return (
    isPrivate ||
    // Declarations leave it out.
    ts.getJSDocTags(node).some(({ tagName }) => tagName.text === 'internal') ||
    ts.isBlock(node) ||
    // Of what a caller makes, or of an error that only the library makes.
    ts.isConstructorDeclaration(node) ||
    // It resolves to another type before it is written.
    ts.isConditionalTypeNode(node) ||
    (ts.isTypeOperatorNode(node) && node.operator === ts.SyntaxKind.KeyOfKeyword) ||
    (name !== undefined && ts.isPrivateIdentifier(name))
  )
}

/** Whether a conditional type becomes another type before it is written: not within a signature with type parameters of its own. */
function isResolved(symbol: ts.Symbol, mention: ts.Node): boolean {
  const alias = symbol.declarations?.find(ts.isTypeAliasDeclaration)?.type
  const isConditional =
    alias !== undefined && (ts.isConditionalTypeNode(alias) || /^Extract</.test(alias.getText()))
  const isOpen = (node: ts.Node): boolean => ts.isFunctionLike(node) && node.typeParameters !== undefined
  return isConditional && ts.findAncestor(mention, isOpen) === undefined
}

/** The types that a declaration mentions, and the bases whose members it has. */
function mentionsOf(node: ts.Node): { types: ts.Symbol[]; bases: ts.Symbol[] } {
  const found = { types: [] as ts.Symbol[], bases: [] as ts.Symbol[] }
  const visit = (each: ts.Node, isBase: boolean): void => {
    const isOwnName = each === (node as { name?: ts.Node }).name
    const symbol = ts.isIdentifier(each) && !isOwnName ? checker.getSymbolAtLocation(each) : undefined
    if (symbol && isNamed(target(symbol)) && !isResolved(target(symbol), each))
      found[isBase ? 'bases' : 'types'].push(target(symbol))
    const { initializer } = each as { initializer?: ts.Node }
    ts.forEachChild(each, (child) => {
      if (child !== initializer && !isHidden(child))
        visit(child, ts.isExpressionWithTypeArguments(each) ? child === each.expression : false)
    })
  }
  visit(node, false)
  return found
}

/** Types that public declarations reach and no import path exports, each with what mentions it. */
function unnamed(): string[] {
  const seen = new Set<ts.Symbol>()
  const missing = new Set<string>()
  const look = (symbol: ts.Symbol): void => {
    if (seen.has(symbol)) return
    seen.add(symbol)
    for (const node of symbol.declarations ?? []) {
      if (!node.getSourceFile().fileName.startsWith(source)) continue
      const { types, bases } = mentionsOf(node)
      for (const type of types) if (!exported.has(type)) missing.add(`${type.name}, of ${symbol.name}`)
      for (const each of [...types, ...bases]) look(each)
    }
  }
  for (const symbol of exported) look(symbol)
  return [...missing].sort()
}

// The first answer of the service compiles the project.
describe('the types of a public signature', { timeout: 120_000 }, () => {
  it('can be imported, so that a library may export parts of a client', () => {
    expect(unnamed()).toEqual([])
  })
})
