import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { eachOf } from './words.ts'

const root = new URL('../../../', import.meta.url)

/** What the sources say besides what they do: the docstrings of interfaces and classes, and the signatures of methods. */
export interface Declarations {
  /** The type that a check of an operation stands for, as its declaration has it: `check<MicroblogSearchParams>(…)`. */
  typeOf(operation: string, part: 'request' | 'response' | 'item'): Documented
  /** The member at a path such as `microblog.search`, of `SocialSearch` unless of another client. */
  member(path: string, client?: Documented): Documented
  /** An exported type or class of a file in src. */
  exported(file: string, name: string): Documented
}

/** A type, and what is said of it. */
export interface Documented {
  /** Its name, where it is a type that has one. */
  name: string
  text: string
  /** Why it should not be used, where it should not. */
  deprecated: string | null
  /** Its fields, by name; those of what is in a list, where it is one. */
  fields: () => Map<string, Documented>
  /** Names of the parameters of its last signature, and whether each may be left out. */
  parameters: () => { name: string; optional: boolean }[]
  /** How many signatures it has. */
  signatures: () => number
}

export function readDeclarations(): Declarations {
  const { config } = ts.readConfigFile(path('tsconfig.json'), (file) => ts.sys.readFile(file)) as {
    config: unknown
  }
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, path('.'))
  const roots = ['src/index.ts', 'src/contract/operations.ts', 'src/catalog/index.ts'].map(path)
  const program = ts.createProgram(roots, options)
  const checker = program.getTypeChecker()
  const checks = findChecks(program, checker)

  function describe(type: ts.Type, symbol: ts.Symbol | undefined): Documented {
    const within = elementOf(checker.getNonNullableType(type), checker)
    const signatures = within.getCallSignatures()
    return {
      name: (type.aliasSymbol ?? type.getSymbol())?.name ?? '',
      text: textOf(symbol, checker),
      deprecated: deprecationOf(symbol, checker),
      fields: () =>
        new Map(
          checker
            .getPropertiesOfType(within)
            .map((property) => [property.name, describe(checker.getTypeOfSymbol(property), property)]),
        ),
      parameters: () =>
        (signatures.at(-1)?.parameters ?? []).map(({ name, valueDeclaration }) => ({
          name,
          optional:
            valueDeclaration !== undefined &&
            ts.isParameter(valueDeclaration) &&
            checker.isOptionalParameter(valueDeclaration),
        })),
      signatures: () => signatures.length,
    }
  }

  function exported(file: string, name: string): Documented {
    const source = program.getSourceFile(path(`src/${file}`)) ?? fail(file)
    const module = checker.getSymbolAtLocation(source) ?? fail(file)
    const found = checker.getExportsOfModule(module).find((symbol) => symbol.name === name) ?? fail(name)
    const symbol = found.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(found) : found
    return describe(checker.getDeclaredTypeOfSymbol(symbol), symbol)
  }

  return {
    exported,
    typeOf(operation, part) {
      const type = checks.get(`${operation} ${part}`) ?? fail(`the ${part} of ${operation}`)
      return describe(type, type.aliasSymbol ?? type.symbol)
    },
    member: (path, client = exported('client.ts', 'SocialSearch')) =>
      path.split('.').reduce((inner, name) => inner.fields().get(name) ?? fail(path), client),
  }
}

/** The types that checks are declared for, by operation and part. */
function findChecks(program: ts.Program, checker: ts.TypeChecker): Map<string, ts.Type> {
  const found = new Map<string, ts.Type>()
  for (const source of program
    .getSourceFiles()
    .filter(({ fileName }) => fileName.includes('/src/contract/'))) {
    source.forEachChild(function visit(node) {
      const id = ts.isObjectLiteralExpression(node) ? literal(property(node, 'id')) : undefined
      if (id === undefined || !ts.isObjectLiteralExpression(node)) {
        node.forEachChild(visit)
        return
      }
      const list = property(node, 'list')
      const parts = {
        request: property(node, 'request'),
        response: property(node, 'response'),
        item: list && ts.isObjectLiteralExpression(list) ? property(list, 'item') : undefined,
      }
      for (const [part, check] of Object.entries(parts)) {
        const [argument] = (check && ts.isCallExpression(check) && check.typeArguments) || []
        if (argument) found.set(`${id} ${part}`, checker.getTypeFromTypeNode(argument))
      }
    })
  }
  return found
}

function property(object: ts.ObjectLiteralExpression, name: string): ts.Expression | undefined {
  const found = object.properties.find((each) => each.name?.getText() === name)
  return found && ts.isPropertyAssignment(found) ? found.initializer : undefined
}

function literal(node: ts.Expression | undefined): string | undefined {
  return node && ts.isStringLiteral(node) ? node.text : undefined
}

/** The type of what is in a list; of anything else, itself. */
function elementOf(type: ts.Type, checker: ts.TypeChecker): ts.Type {
  const element = checker.isArrayType(type)
    ? checker.getIndexTypeOfType(type, ts.IndexKind.Number)
    : undefined
  return element === undefined ? type : checker.getNonNullableType(element)
}

/** A symbol's docstring; where it has none, that of the type it is declared to be. */
function textOf(symbol: ts.Symbol | undefined, checker: ts.TypeChecker): string {
  if (symbol === undefined) return ''
  const own = ts.displayPartsToString(symbol.getDocumentationComment(checker))
  if (own !== '') return own.replaceAll(/\s+/g, ' ').replaceAll(/\{@link (\w+)\}/g, '`$1`')
  const declaration = symbol.valueDeclaration
  const declared = declaration && ts.isPropertySignature(declaration) ? declaration.type : undefined
  const named = declared && firstReference(declared)
  const target = named && checker.getSymbolAtLocation(named.typeName)
  if (declared === undefined || target === undefined || target === symbol) return ''
  const text = textOf(
    target.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(target) : target,
    checker,
  )
  return ts.isArrayTypeNode(declared) ? eachOf(text) : text
}

function firstReference(node: ts.TypeNode): ts.TypeReferenceNode | undefined {
  if (ts.isTypeReferenceNode(node)) return node
  if (ts.isArrayTypeNode(node)) return firstReference(node.elementType)
  return ts.isUnionTypeNode(node) ? node.types.map(firstReference).find(Boolean) : undefined
}

function deprecationOf(symbol: ts.Symbol | undefined, checker: ts.TypeChecker): string | null {
  const tag = symbol?.getJsDocTags(checker).find(({ name }) => name === 'deprecated')
  return tag === undefined ? null : ts.displayPartsToString(tag.text)
}

function path(relative: string): string {
  return fileURLToPath(new URL(relative, root))
}

function fail(what: string): never {
  throw new Error(`the sources have no ${what}`)
}
