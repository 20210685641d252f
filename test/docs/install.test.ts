import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { withInstall } from '../../scripts/docs/install.ts'
import { pages } from './samples.ts'

const examples = readFileSync(new URL('../../examples/README.md', import.meta.url), 'utf8')
const all = [...pages, ['examples/README.md', examples] as const]

describe('withInstall()', () => {
  it.each(all)('leaves %s unchanged: it gives the route that works today', (_, text) => {
    expect(withInstall(text)).toBe(text)
  })

  it('gives the route of npm pack, and runs no package of that name from npm, until the package is published', () => {
    const text = all.map(([, text]) => withInstall(text, false)).join('\n')
    expect(text).not.toMatch(/npm (install|i) social-search-sdk|npx social-search/)
    expect(text.match(/npm ci && npm pack/g)).toHaveLength(2)
    expect(text).toContain('npx --no social-search mcp --sandbox')
  })

  it('gives npm install and npx again when the package is published', () => {
    const text = all.map(([, text]) => withInstall(text, true)).join('\n')
    expect(text).not.toMatch(/&& npm pack$|npx --no|not on npm yet/m)
    expect(text.match(/^npm install social-search-sdk$/gm)).toHaveLength(2)
    expect(text).toContain('npx social-search-sdk mcp --sandbox')
  })
})
