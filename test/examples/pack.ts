import { rmSync } from 'node:fs'
import type { TestProject } from 'vitest/node'
import { pack } from '../packaging/tarball.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Path of the packed package. */
    tarball: string
  }
}

/** Packs the package once, for all tests of the examples. */
export default function setup({ provide }: TestProject): () => void {
  const { folder, tarball } = pack()
  provide('tarball', tarball)
  return () => rmSync(folder, { recursive: true })
}
