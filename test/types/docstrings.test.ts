import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { entryPoints } from '../../scripts/entry-points.ts'
import { languageServiceFor } from '../support/typescript.ts'

const imports = entryPoints.map(({ source }) => `import '../${source}'`)
const narrowed = `import { isSocialSearchError } from '../src/index.ts'
declare const error: unknown
if (isSocialSearchError(error)) error.code`
const { service, pathOf } = languageServiceFor(
  new Map([
    ['everything.ts', imports.join('\n')],
    ['narrowed.ts', narrowed],
  ]),
)
const program = service.getProgram()!
const checker = program.getTypeChecker()

/** What an editor shows of a symbol: its text, and that of its tags. */
function shownOf(symbol: ts.Symbol): { text: string; tags: string[] } {
  const tags = symbol.getJsDocTags(checker).filter(({ name }) => name !== 'example')
  return {
    text: ts.displayPartsToString(symbol.getDocumentationComment(checker)),
    tags: tags.map(({ name, text }) => `@${name} ${ts.displayPartsToString(text)}`),
  }
}

/** The members that users call, read or pass: those of classes, options and params. TanStack documents its own options. */
function membersOf(symbol: ts.Symbol): ts.Symbol[] {
  const isClass = (symbol.flags & ts.SymbolFlags.Class) !== 0
  if (!isClass && !/(?<!Search)(Options|Params|Filters)$/.test(symbol.name)) return []
  const members = checker.getPropertiesOfType(checker.getDeclaredTypeOfSymbol(symbol))
  return members.filter(({ name, declarations = [] }) => {
    const [declared] = declarations
    const isOurs = declared?.getSourceFile().fileName.includes('/src/')
    const isHidden =
      declared && ts.getCombinedModifierFlags(declared) & ts.ModifierFlags.NonPublicAccessibilityModifier
    return isOurs && !isHidden && !/^(__|#|toJSON$|name$|then$|catch$|finally$)/.test(name)
  })
}

const all = entryPoints.flatMap(({ path, source }) => {
  const file = program.getSourceFile(pathOf(`../${source}`).replace('/test/..', ''))!
  return checker.getExportsOfModule(checker.getSymbolAtLocation(file)!).flatMap((symbol) => {
    const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
    const own =
      target.flags & (ts.SymbolFlags.Class | ts.SymbolFlags.Function)
        ? [{ title: `${path} ${symbol.name}`, symbol: target }]
        : []
    return [
      ...own,
      ...membersOf(target).map((member) => ({
        title: `${path} ${symbol.name}.${member.name}`,
        symbol: member,
      })),
    ]
  })
})

// The first answer of the service compiles the project.
describe('the hover text of a public member', { timeout: 120_000 }, () => {
  it('is there', () => {
    expect(all.length).toBeGreaterThan(200)
    expect(
      all.filter(({ symbol }) => !Object.values(shownOf(symbol)).join('')).map(({ title }) => title),
    ).toEqual([])
  })

  it('has no broken markup', () => {
    const broken = all.filter(({ symbol }) => {
      const { text, tags } = shownOf(symbol)
      return [text, ...tags].some((part) => isBroken(part))
    })
    expect(broken.map(({ title }) => title)).toEqual([])
  })

  it('has each sentence once, also for a member of a union', () => {
    const { documentation } = service.getQuickInfoAtPosition(pathOf('narrowed.ts'), narrowed.length - 1) ?? {}
    expect(ts.displayPartsToString(documentation)).toBe('What happened; stable: `switch` on it.')
  })
})

/** Whether braces or backticks are not closed, or braces name several types, which editors show in pieces. */
function isBroken(text: string): boolean {
  const plain = text.replaceAll(/`[^`]*`/g, '').replaceAll(/\{[^{}|]*\}/g, '')
  return /[`{}]/.test(plain) || /^@\w+ ?$/.test(text)
}
