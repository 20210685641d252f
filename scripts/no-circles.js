import { existsSync, readFileSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'

const statement = /^(?:import|export)\b[^'"]*?\bfrom\s+'(\.[^']+)'/gm

const known = new Map()

/** The files that a file imports or exports from, types included. */
function importsOf(file) {
  const found = known.get(file) ?? textsOf(file).map((path) => resolve(dirname(file), path))
  known.set(file, found)
  return found
}

function textsOf(file) {
  const isCode = /\.[jt]s$/.test(file) && existsSync(file)
  return isCode ? Array.from(readFileSync(file, 'utf8').matchAll(statement), ([, path]) => path) : []
}

/** The shortest way by imports from one file to another; undefined if there is none. */
function wayFrom(start, end) {
  const ways = new Map([[start, [start]]])
  for (const [file, way] of ways) {
    if (file === end) return way
    for (const next of importsOf(file)) if (!ways.has(next)) ways.set(next, [...way, next])
  }
  return undefined
}

/** A rule of ESLint that forbids import circles. Unlike `import-x/no-cycle`, it counts imports of types. */
export const noCircles = {
  meta: { type: 'problem', schema: [] },
  create({ filename, cwd, report }) {
    const check = (node) => {
      const path = node.source?.value
      if (!path?.startsWith('.')) return
      const way = wayFrom(resolve(dirname(filename), path), filename)
      if (way === undefined) return
      const names = way.map((file) => relative(cwd, file)).join(' → ')
      report({ node, message: `import circle: ${names}; move what both need to a file of its own` })
    }
    return { ImportDeclaration: check, ExportNamedDeclaration: check, ExportAllDeclaration: check }
  },
}
