import {
  closeSync,
  fchmodSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'

/**
 * Replaces a file as a whole: a reader finds the old text or the new one, also after a crash. One process at a time may do so.
 *
 * @param mode Permissions of the file; default those that it has, or those of a new file.
 */
export function replaceFile(
  path: string,
  text: string,
  mode = statSync(path, { throwIfNoEntry: false })?.mode,
): void {
  const temporary = `${path}.lock.tmp`
  // A killed process has left it.
  rmSync(temporary, { force: true })
  const file = openSync(temporary, 'wx', mode)
  try {
    try {
      if (mode !== undefined) fchmodSync(file, mode)
      writeFileSync(file, text)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    renameSync(temporary, path)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
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
