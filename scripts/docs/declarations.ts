import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { eachOf } from './words.ts'

const root = new URL('../../', import.meta.url)

/** Reads docstrings of interfaces and classes, and signatures of methods, from the sources. */
export interface Declarations {
  /** The type of a request or response, as its operation declares it: `Schema<MicroblogSearchParams>`. */
  typeOf(operation: string, part: 'request' | 'response'): Documented
  /** The member at a path such as `microblog.search`. Default client: `SocialSearch`. */
  member(path: string, client?: Documented): Documented
  /** An exported type or class of a file in src. */
  exported(file: string, name: string): Documented
}

/** A type or member with its docstring. */
export interface Documented {
  /** The name of the type, or an empty text. */
  name: string
  text: string
  /** The text of `@deprecated`, or null. */
  deprecated: string | null
  /** Its fields by name; for a list, the fields of its items. */
  fields: () => Map<string, Documented>
  /** The parameters of its signature. */
  parameters: () => { name: string; optional: boolean }[]
  /** Whether its signature has type parameters. */
  isGeneric: () => boolean
}

export function readDeclarations(): Declarations {
  const { config } = ts.readConfigFile(path('tsconfig.json'), (file) => ts.sys.readFile(file)) as {
    config: unknown
  }
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, path('.'))
  const roots = ['src/index.ts', 'src/api/operations.ts', 'src/extensions/catalog/index.ts'].map(path)
  const program = ts.createProgram(roots, options)
  const checker = program.getTypeChecker()

  function describe(type: ts.Type, symbol: ts.Symbol | undefined): Documented {
    const within = elementOf(checker.getNonNullableType(type), checker)
    const signature = within.getCallSignatures().at(-1)
    return {
      name: (type.aliasSymbol ?? type.getSymbol())?.name ?? '',
      text:
        textOf(symbol, checker) || (checker.isArrayType(type) ? eachOf(textOf(within.symbol, checker)) : ''),
      deprecated: deprecationOf(symbol, checker),
      fields: () =>
        new Map(
          checker
            .getPropertiesOfType(within)
            .map((property) => [property.name, describe(checker.getTypeOfSymbol(property), property)]),
        ),
      parameters: () =>
        (signature?.parameters ?? []).map(({ name, valueDeclaration }) => ({
          name,
          optional:
            valueDeclaration !== undefined &&
            ts.isParameter(valueDeclaration) &&
            checker.isOptionalParameter(valueDeclaration),
        })),
      isGeneric: () => signature?.typeParameters !== undefined,
    }
  }

  function exported(file: string, name: string): Documented {
    const symbol = symbolOf(file, name)
    return describe(checker.getDeclaredTypeOfSymbol(symbol), symbol)
  }

  function symbolOf(file: string, name: string): ts.Symbol {
    const source = program.getSourceFile(path(`src/${file}`)) ?? fail(file)
    const module = checker.getSymbolAtLocation(source) ?? fail(file)
    const found = checker.getExportsOfModule(module).find((symbol) => symbol.name === name) ?? fail(name)
    return found.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(found) : found
  }

  function typeIn(type: ts.Type, property: string): ts.Type {
    return checker.getTypeOfSymbol(type.getProperty(property) ?? fail(property))
  }

  return {
    exported,
    typeOf(operation, part) {
      const operations = checker.getTypeOfSymbol(symbolOf('api/operations.ts', 'operations'))
      const found = checker
        .getTypeArguments(operations as ts.TypeReference)
        .find((type) => (typeIn(type, 'id') as ts.StringLiteralType).value === operation)
      const schema = typeIn(found ?? fail(operation), part)
      const [type = schema] = checker.getTypeArguments(schema as ts.TypeReference)
      return describe(type, type.aliasSymbol ?? type.symbol)
    },
    member: (path, client = exported('client.ts', 'SocialSearch')) =>
      path.split('.').reduce((inner, name) => inner.fields().get(name) ?? fail(path), client),
  }
}

/** The item type of a list; any other type unchanged. */
function elementOf(type: ts.Type, checker: ts.TypeChecker): ts.Type {
  const element = checker.isArrayType(type)
    ? checker.getIndexTypeOfType(type, ts.IndexKind.Number)
    : undefined
  return element === undefined ? type : checker.getNonNullableType(element)
}

/** The docstring of a symbol, or else of its declared type. */
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
  throw new Error(`cannot find ${what} in the sources`)
}
