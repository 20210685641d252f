import { randomUUID } from 'node:crypto'
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
 * Replaces a file as a whole: a reader finds the old text or the new one, also after a crash.
 *
 * @param mode Permissions of the file; default those that it has, or those of a new file.
 * @param temporary A file that must not exist, on the same disk; default one beside it.
 * @param beforeRename Throws if the file must not be replaced any more.
 */
export function replaceFile(
  path: string,
  text: string,
  mode = statSync(path, { throwIfNoEntry: false })?.mode,
  temporary = `${path}.${randomUUID()}.tmp`,
  beforeRename?: () => void,
): void {
  const file = openSync(temporary, 'wx', mode)
  try {
    try {
      if (mode !== undefined) fchmodSync(file, mode)
      writeFileSync(file, text)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    beforeRename?.()
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
