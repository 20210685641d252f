import packageJson from '../package.json' with { type: 'json' }

/** The entry points that have a condition in `exports` of package.json: the specifier, and the name of the source in src. */
export function entryPoints(
  condition: 'types' | 'browser' | 'module',
): { specifier: string; name: string }[] {
  const exports: [string, string | Record<string, string>][] = Object.entries(packageJson.exports)
  return exports.flatMap(([specifier, paths]) => {
    const types = typeof paths === 'object' && condition in paths ? paths['types'] : undefined
    return types === undefined ? [] : [{ specifier, name: types.replace(/^\.\/dist\/|\.d\.ts$/g, '') }]
  })
}
