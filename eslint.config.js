import { createNodeResolver, importX } from 'eslint-plugin-import-x'
import tseslint from 'typescript-eslint'
import { noCircles } from './scripts/no-circles.js'

/** What each room of src may import, besides itself: imports run one way. */
const base = ['lib', 'api', 'errors']
const belowOptions = ['limits', 'core/credits', 'core/http']
const belowCall = [...base, ...belowOptions, 'core/options']
const calls = [...belowCall, 'core/call', 'core/pages']
/** The wall: outside of it, only the public names, one door, and the ground below. */
const outside = [...base, 'index.ts', 'extend.ts']
const mayImport = {
  lib: [],
  // Files, with modules of Node.
  'lib/node': ['lib'],
  api: ['lib'],
  errors: ['lib', 'api'],
  limits: base,
  'core/credits': base,
  'core/http': [...base, 'core/credits'],
  'core/options': [...base, ...belowOptions],
  'core/call': belowCall,
  'core/pages': [...belowCall, 'core/call'],
  resources: calls,
  'client.ts': [...calls, 'resources'],
  'rarely-named.ts': [...calls, 'resources'],
  'index.ts': [...calls, 'resources', 'client.ts', 'rarely-named.ts'],
  'extend.ts': calls,
  'extensions/schemas': ['api'],
  'extensions/node': ['lib'],
  'extensions/sandbox': ['lib', 'api', 'errors', 'extensions/node'],
  'extensions/catalog': outside,
  'extensions/shared': outside,
  'extensions/oauth': [...outside, 'extensions/shared'],
  'extensions/proxy': outside,
  'extensions/events': outside,
  'extensions/query': outside,
  'extensions/export': outside,
  'extensions/watch': outside,
  'extensions/cache': outside,
  'extensions/otel': outside,
  'extensions/tools': [...outside, 'extensions/export'],
  'extensions/mcp': [...outside, 'extensions/tools'],
  cli: [
    ...outside,
    'lib/node',
    'extensions/cache',
    'extensions/oauth',
    'extensions/export',
    'extensions/watch',
    'extensions/tools',
    'extensions/mcp',
    'extensions/node',
    'extensions/sandbox',
    'extensions/shared',
  ],
}

const zone = (target, from) => ({
  target: `./src/${target}`,
  from: from.map((path) => `./src/${path}`),
  message: 'imports run one way, see CONTRIBUTING.md',
})

const zones = Object.entries(mayImport).map(([room, allowed]) =>
  zone(
    room,
    Object.keys(mayImport).filter((other) => other !== room && !allowed.includes(other)),
  ),
)

// The wall stands also for folders that are not in the table.
zones.push(
  zone('core', ['extensions', 'cli', 'resources', 'client.ts', 'rarely-named.ts', 'index.ts', 'extend.ts']),
  zone('extensions', ['core', 'limits', 'resources', 'client.ts', 'rarely-named.ts', 'cli']),
)

/** Packages with one door: whatever they do, the rest of the code gets it from the module that wraps them. */
const doors = {
  oauth4webapi: 'src/extensions/oauth/protocol.ts',
  ky: 'src/core/http/fetch.ts',
  'p-retry': 'src/core/call/run.ts',
  'p-limit': 'src/limits/local-limiter.ts',
  '@opentelemetry/api': 'src/extensions/otel/index.ts',
  commander: ['src/cli/program.ts', 'src/cli/run-commands.ts', 'src/cli/command-flags.ts'],
  'fast-string-width': 'src/cli/terminal.ts',
  'fast-wrap-ansi': 'src/cli/terminal.ts',
  '@modelcontextprotocol/server': 'src/extensions/mcp/server.ts',
}

/** Only schemas are built with it. */
const zod = ['zod/mini']

const forbid = (names) => ({
  'no-restricted-imports': [
    'error',
    {
      paths: names.map((name) => ({ name, message: `only ${doors[name] ?? 'src/api'} imports it` })),
      patterns: [{ regex: '^zod(?!/mini$)', message: 'zod/mini halves the bundle' }],
    },
  ],
})

/** Classes of errors that stand in a `catch` beside what user code threw. The others know it by themselves. */
const uncaught = [
  ...['Error', 'AggregateError', 'RangeError', 'Failure', 'FetchMisuse'],
  ...['ProxyRefusal', 'ToolRefusal', 'SandboxError'],
]

const looseMatch = {
  selector: "CallExpression[callee.property.name='toMatchObject'] Property > Literal[regex]",
  message: 'any string matches it there; write expect.stringMatching()',
}

const oneChance = { name: 'fast-check', message: 'test/support/chance.ts sets its seed' }

/** Tests whose sandboxes follow the clock of the machine fail now and then. */
const fixedClock = 'test/support/sandbox.ts stops its clock'
const oneClock = {
  regex: '/extensions/sandbox/(index|node|service)\\.ts$|^social-search-sdk/sandbox',
  importNamePattern: '^(create|serve)',
  message: fixedClock,
}
/** Titles and assertions may name the flag. */
const isNoCommand = `:not(CallExpression[callee.name=/^(it|describe)$/] > .arguments):not(CallExpression[callee.property.name=/^to[A-Z]/] > .arguments)`
const sandboxTexts = [
  'ImportExpression[source.value=/extensions.sandbox/]',
  `Literal[value=/--sandbox/]${isNoCommand}`,
  'TemplateElement[value.raw=/--sandbox/]',
].map((selector) => ({ selector, message: fixedClock }))

const nodeGlobals = ['process', 'Buffer', 'global', '__dirname', '__filename', 'require', 'setImmediate']

export default tseslint.config(
  // What the bench builds, and programs whose packages are not installed with this one.
  {
    ignores: [
      ...['dist', 'docs/.vitepress/{dist,cache}', 'coverage', '**/node_modules', 'bench/.out'],
      ...[
        'bench/peers/extra',
        'test/{agents,apps,opentelemetry,stores}',
        'examples/{bun,dashboard,deno,express,hono,next}',
        '**/.wrangler',
      ],
    ],
  },
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    plugins: { 'import-x': importX, imports: { rules: { 'no-circles': noCircles } } },
    settings: {
      'import-x/extensions': ['.ts', '.js'],
      'import-x/resolver-next': [createNodeResolver({ extensions: ['.ts', '.js'] })],
    },
    rules: {
      'imports/no-circles': 'error',
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/explicit-module-boundary-types': 'off',
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/no-invalid-void-type': 'off',
      '@typescript-eslint/prefer-promise-reject-errors': 'off',
      '@typescript-eslint/only-throw-error': 'off',
      '@typescript-eslint/no-non-null-assertion': 'error',
    },
  },
  {
    files: ['src/**'],
    rules: {
      'max-lines': ['error', 400],
      complexity: ['error', 20],
      ...forbid([...Object.keys(doors), ...zod]),
      'no-restricted-globals': ['error', ...nodeGlobals],
      'no-restricted-properties': [
        'error',
        { object: 'Promise', property: 'withResolvers', message: 'README names older browsers' },
      ],
      'no-restricted-syntax': [
        'error',
        {
          selector: `BinaryExpression[operator='instanceof'][right.name=/^(${uncaught.join('|')})$/]`,
          message: 'of what user code threw, as a revoked proxy, instanceof itself throws; write isA()',
        },
        {
          selector:
            "CallExpression[callee.property.name=/^(toLocale|localeCompare)/]:not([arguments.0.value='en'])",
          message: 'some builds of ICU know English alone, and texts of other locales change; use numbers',
        },
      ],
      'import-x/no-nodejs-modules': 'error',
      'import-x/no-restricted-paths': [
        'error',
        {
          zones: [
            ...zones,
            // The core carries any operation; which ones there are is not its business.
            ...['core', 'limits', 'lib'].map((room) =>
              zone(room, ['api/operations.ts', 'api/endpoints/microblog.ts', 'api/catalog']),
            ),
          ],
        },
      ],
    },
  },
  { files: ['src/api/**'], rules: forbid(Object.keys(doors)) },
  ...Object.values(doors).map((file) => ({
    files: [file].flat(),
    rules: forbid([...Object.keys(doors).filter((name) => doors[name] !== file), ...zod]),
  })),
  {
    files: [
      'src/extensions/sandbox/node.ts',
      'src/extensions/node/**',
      // Only types.
      'src/lib/runtime.ts',
      'src/lib/sqlite-file.ts',
      'src/extensions/cache/sqlite.ts',
      'src/extensions/shared/stores/sqlite*.ts',
      'src/lib/node/**',
      'src/cli/**',
    ],
    rules: { 'no-restricted-globals': 'off', 'import-x/no-nodejs-modules': 'off' },
  },
  {
    files: ['test/**', 'examples/**'],
    rules: {
      // Tests look at parsed JSON, whose shape their assertions state.
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/unbound-method': 'off',
      'no-restricted-syntax': ['error', looseMatch],
    },
  },
  {
    files: ['test/**'],
    rules: {
      'no-restricted-imports': ['error', { paths: [oneChance], patterns: [oneClock] }],
      'no-restricted-syntax': ['error', looseMatch, ...sandboxTexts],
    },
  },
  // These make what the others use, one test is about the clock of the machine, and programs of users have the package alone.
  {
    files: [
      ...['test/support/{chance,sandbox}.ts', 'test/sandbox/default-clock.test.ts'],
      ...['test/packaging/consumer/**', 'test/browser/pages/**', 'test/canary/{canary.test,installed}.ts'],
    ],
    rules: { 'no-restricted-imports': 'off', 'no-restricted-syntax': 'off' },
  },
  { files: ['**/*.{js,mjs,cjs}'], ...tseslint.configs.disableTypeChecked },
  { files: ['**/*.cjs'], rules: { '@typescript-eslint/no-require-imports': 'off' } },
)
