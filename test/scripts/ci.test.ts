import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { apart } from '../suites.ts'

const textOf = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
const found = (text: string, pattern: RegExp) =>
  Array.from(text.matchAll(pattern), ([, command = '']) => command)

it('.ci/run and ci.yml run the same checks', () => {
  const all = found(textOf('.ci/run'), /^(?:step|beside) (.+)$/gm)
  const here = all.flatMap((command) => {
    // One run keeps both cores busy; jobs of their own run at the same time.
    if (command === "npx vitest run --project '!main'")
      return Object.keys(apart).map((name) => `npx vitest run --project ${name}`)
    return command === 'npm run test:dates -- commit' ? ['npm test', command] : [command]
  })
  const there = found(textOf('.github/workflows/ci.yml'), /^ +- (?:run: )?(np[mx] .+)$/gm)
  const { check } = packageJson.scripts
  expect(here.length).toBeGreaterThan(20)
  expect(new Set(here)).toEqual(
    new Set(there.flatMap((command) => (command === 'npm run check' ? check.split(' && ') : [command]))),
  )
})
