/** Installs the packed package into fresh projects, as a user would: needs the registry. */
import { cpSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pack, root, run } from './tarball.ts'

const { folder, tarball } = pack()
try {
  cpSync(join(root, 'test/packaging/consumer'), folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }))
  // Not in the folder, since the project's own settings refuse such a file.
  const commonJs = "import { SocialSearch } from 'social-search-sdk'\nvoid SocialSearch.fromEnv\n"
  writeFileSync(join(folder, 'required.cts'), commonJs)
  // The oldest API of OpenTelemetry that the package accepts.
  const peers = ['@tanstack/query-core@5', '@opentelemetry/api@1.9.0']
  run('npm', ['install', '--silent', tarball, '@types/node@24', ...peers], folder)
  for (const version of ['5.9', '6', '7']) {
    run('npm', ['install', '--silent', '--no-save', `typescript@${version}`], folder)
    for (const moduleResolution of ['nodenext', 'bundler']) {
      writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(tsconfig(moduleResolution)))
      run('npx', ['tsc', '--noEmit'], folder)
    }
    console.log(
      `✓ a consumer type-checks under TypeScript ${run('npx', ['tsc', '--version'], folder).trim().split(' ')[1]}`,
    )
  }
  console.log(`✓ ${run(process.execPath, ['consumer.ts'], folder).trim()}`)
  console.log(`✓ ${run(process.execPath, ['required.cjs'], folder).trim()}`)
} finally {
  rmSync(folder, { recursive: true })
}

/** The strictest that a user may have; without the DOM library, as in a plain Node project. */
function tsconfig(moduleResolution: string): object {
  return {
    compilerOptions: {
      target: 'ES2022',
      lib: ['ES2022'],
      module: moduleResolution === 'nodenext' ? 'nodenext' : 'preserve',
      moduleResolution,
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      skipLibCheck: false,
      types: ['node'],
    },
    include: ['*.ts', '*.cts'],
  }
}
