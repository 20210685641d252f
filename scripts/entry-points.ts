import packageJson from '../package.json' with { type: 'json' }

/** The import paths of the package, each with its built file and its source. */
export const entryPoints = Object.entries(packageJson.exports)
  .filter(([, file]) => file.endsWith('.js'))
  .map(([path, file]) => ({
    path: path.replace('.', packageJson.name),
    file,
    source: file.replace('./dist/', path === '.' ? 'src/' : 'src/extensions/').replace('.js', '.ts'),
  }))
