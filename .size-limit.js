import bounds from './bench/guard/bounds.json' with { type: 'json' }

const bundle = (name, names, limit) => ({
  ...{ name, limit, path: 'dist/index.js', import: `{ ${names} }`, gzip: true },
  // The package is seen from inside here, where esbuild warns of imports that it rightly leaves out.
  modifyEsbuildConfig: (config) => ({ ...config, format: 'esm', logLevel: 'error' }),
})

export default [
  bundle('one search', 'createTransport, microblog', bounds.oneSearch),
  bundle('whole client', 'SocialSearch', bounds.wholeClient),
]
