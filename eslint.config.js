import { createNodeResolver, importX } from 'eslint-plugin-import-x'
import tseslint from 'typescript-eslint'

/** Folders of src that must not be reached from `target`: imports run one way. */
const zone = (target, ...from) => ({
  target: `./src/${target}`,
  from: from.map((path) => `./src/${path}`),
  message: 'imports run one way, see CONTRIBUTING.md',
})

/** Packages with one door: whatever they do, the rest of the code gets it from the module that wraps them. */
const doors = {
  ky: 'src/core/http.ts',
  'p-retry': 'src/core/retry.ts',
  'p-limit': 'src/core/limiter.ts',
}

const forbid = (...names) => ({
  'no-restricted-imports': [
    'error',
    {
      paths: names.map((name) => ({ name, message: `only ${doors[name] ?? 'src/contract'} imports it` })),
      patterns: [{ regex: '^zod(?!/mini$)', message: 'zod/mini halves the bundle' }],
    },
  ],
})

const nodeGlobals = ['process', 'Buffer', 'global', '__dirname', '__filename', 'require', 'setImmediate']

export default tseslint.config(
  { ignores: ['dist', 'coverage', 'node_modules'] },
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    plugins: { 'import-x': importX },
    settings: { 'import-x/resolver-next': [createNodeResolver({ extensions: ['.ts', '.js'] })] },
    rules: {
      'import-x/no-cycle': 'error',
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
      'max-lines': ['error', 300],
      ...forbid('ky', 'p-retry', 'p-limit', 'zod/mini'),
      'no-restricted-globals': ['error', ...nodeGlobals],
      'import-x/no-nodejs-modules': 'error',
      'import-x/no-restricted-paths': [
        'error',
        {
          zones: [
            zone(
              'contract',
              'core',
              'resources',
              'sandbox',
              'cli',
              'client.ts',
              'options.ts',
              'errors.ts',
              'errors',
              'index.ts',
            ),
            zone('errors.ts', 'core', 'resources', 'sandbox', 'cli', 'client.ts', 'options.ts', 'index.ts'),
            zone('errors', 'core', 'resources', 'sandbox', 'cli', 'client.ts', 'options.ts', 'index.ts'),
            zone('core', 'resources', 'sandbox', 'cli', 'client.ts', 'index.ts'),
            // The core carries any operation; which ones there are is not its business.
            zone('core', 'contract/operations.ts', 'contract/microblog.ts'),
            zone('options.ts', 'resources', 'sandbox', 'cli', 'client.ts', 'index.ts'),
            zone('resources', 'sandbox', 'cli', 'client.ts', 'index.ts'),
            zone('client.ts', 'sandbox', 'cli', 'index.ts'),
            zone('index.ts', 'sandbox', 'cli'),
            zone(
              'sandbox',
              'core',
              'resources',
              'cli',
              'client.ts',
              'options.ts',
              'errors.ts',
              'errors',
              'index.ts',
            ),
            zone('cli', 'core', 'resources'),
          ],
        },
      ],
    },
  },
  { files: ['src/contract/**'], rules: forbid('ky', 'p-retry', 'p-limit') },
  ...Object.entries(doors).map(([name, file]) => ({
    files: [file],
    rules: forbid(...Object.keys(doors).filter((other) => other !== name), 'zod/mini'),
  })),
  {
    files: ['src/sandbox/node.ts', 'src/cli/**'],
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
    },
  },
  { files: ['**/*.{js,mjs,cjs}'], ...tseslint.configs.disableTypeChecked },
  { files: ['**/*.cjs'], rules: { '@typescript-eslint/no-require-imports': 'off' } },
)
