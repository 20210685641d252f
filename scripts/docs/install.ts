/** Whether the package is on npm. Until then its name there may be another's, so pages give the route of `npm pack`. */
const isPublished = false

/** How a page tells to get the package from npm, and how without. */
const routes = [
  [
    'npm install social-search-sdk\n',
    `# The package is not on npm yet. In a clone of the repository:
npm ci && npm pack
# In your project:
npm install path/to/social-search-sdk-*.tgz
`,
  ],
  ['npx social-search-sdk ', 'npx --no social-search '],
  [
    'copy its folder and run `npm install`',
    'copy its folder and run\n`npm install path/to/social-search-sdk-*.tgz` there, with the tarball that `npm pack` writes in the checkout',
  ],
] as const

/** A page with the route that works today. */
export function withInstall(page: string, published: boolean = isPublished): string {
  return routes.reduce(
    (text, [fromNpm, packed]) =>
      published ? text.replaceAll(packed, fromNpm) : text.replaceAll(fromNpm, packed),
    page,
  )
}
