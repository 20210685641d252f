import { closeSync, fchmodSync, fsyncSync, openSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Replaces a file as a whole: a reader finds the old text or the new one, also after a crash.
 *
 * @param mode Permissions of the file; default those of a new file.
 */
export function replaceFile(path: string, text: string, mode?: number): void {
  const temporary = `${path}.tmp`
  const file = openSync(temporary, 'w', mode)
  try {
    if (mode !== undefined) fchmodSync(file, mode)
    writeFileSync(file, text)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  renameSync(temporary, path)
  syncFolder(dirname(path))
}

/** Makes a rename durable. Not every system lets a folder be opened. */
function syncFolder(path: string): void {
  try {
    const folder = openSync(path, 'r')
    fsyncSync(folder)
    closeSync(folder)
  } catch {
    // Only a power failure could lose the rename.
  }
}
