/**
 * Imports every import path of the installed package and runs its command. Fails unless they share their classes, and prints how many
 * files Node loads from each folder in `node_modules`: for the client, and for everything.
 */
import assert from 'node:assert/strict'
import { readFileSync, readdirSync } from 'node:fs'
import { createRequire, registerHooks } from 'node:module'

const files = {}
registerHooks({
  load(url, context, next) {
    const [folder] = /^.*\/node_modules\/(@[^/]+\/)?[^/]+/.exec(url) ?? []
    if (folder) files[folder] = (files[folder] ?? 0) + 1
    return next(url, context)
  },
})

const client = await import('social-search-sdk')
console.log(JSON.stringify(files))

const installed = new URL('node_modules/social-search-sdk/', import.meta.url)
const { exports } = JSON.parse(readFileSync(new URL('package.json', installed), 'utf8'))
const known = new Map(Object.entries(client))
for (const path of Object.keys(exports).filter((path) => path !== './package.json')) {
  for (const [name, value] of Object.entries(await import(path.replace('.', 'social-search-sdk')))) {
    if (!known.has(name)) known.set(name, value)
    assert.equal(value, known.get(name), `${name} of ${path} is another than that of an earlier path`)
  }
}
for (const name of ['OAuthError', 'ProblemError'])
  assert.ok(known.get(name).prototype instanceof client.SocialSearchError)
assert.equal(createRequire(import.meta.url)('social-search-sdk').SocialSearch, client.SocialSearch)

// The command loads it when it writes a sheet.
const chunks = new URL('dist/chunks/', installed)
for (const name of readdirSync(chunks).filter((name) => name.endsWith('.js'))) {
  const file = new URL(name, chunks)
  if (readFileSync(file, 'utf8').includes('deflateRawSync')) await import(file)
}

process.argv.splice(2, Infinity, '--version')
await import(new URL('dist/cli/main.js', installed))
process.on('exit', () => console.log(JSON.stringify(files)))
