import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const root = fileURLToPath(new URL('../../', import.meta.url))
/** Services of one process parse a file once. */
const registry = ts.createDocumentRegistry()

/**
 * What an editor would know of files that are made up, under the settings and among the files of this project.
 *
 * @param made Their names, below `test/`, and their texts.
 */
export function languageServiceFor(made: ReadonlyMap<string, string>) {
  const files = new Map([...made].map(([name, text]) => [`${root}test/${name}`, text]))
  const { config } = ts.readConfigFile(`${root}tsconfig.json`, (name) => ts.sys.readFile(name)) as {
    config: unknown
  }
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root)
  const contentOf = (name: string) => files.get(name) ?? ts.sys.readFile(name)
  const host: ts.LanguageServiceHost = {
    getCompilationSettings: () => options,
    getScriptFileNames: () => [...files.keys()],
    getScriptVersion: () => '1',
    getScriptSnapshot: (name) => {
      const content = contentOf(name)
      return content === undefined ? undefined : ts.ScriptSnapshot.fromString(content)
    },
    getCurrentDirectory: () => root,
    getDefaultLibFileName: (settings) => ts.getDefaultLibFilePath(settings),
    fileExists: (name) => files.has(name) || ts.sys.fileExists(name),
    readFile: contentOf,
  }
  const service = ts.createLanguageService(host, registry)
  const pathOf = (name: string) => `${root}test/${name}`
  return {
    service,
    pathOf,
    /** What the compiler finds wrong with a file. */
    errorsOf: (name: string): string[] =>
      [...service.getSyntacticDiagnostics(pathOf(name)), ...service.getSemanticDiagnostics(pathOf(name))].map(
        ({ messageText, file, start = 0 }) =>
          `${file?.text.slice(start).split('\n', 1).join('')}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`,
      ),
  }
}
