import type { ChangeText, TextChange } from '../shared/store.ts'

/** Changes a text in IndexedDB, in one transaction. */
export async function changeText<T>(
  name: string,
  key: string,
  change: ChangeText<T>,
): Promise<TextChange<T>> {
  const readAt = performance.now()
  const database = await open(name)
  try {
    const transaction = database.transaction(name, 'readwrite', { durability: 'relaxed' })
    const texts = transaction.objectStore(name)
    const value = (await done(texts.get(key))) as string | undefined
    // In the callback of a request, so that the transaction stays open.
    const changed = change(value, Date.now(), readAt)
    if (changed.value !== undefined) texts.put(changed.value, key)
    await new Promise<void>((resolve, reject) => {
      transaction.oncomplete = () => resolve()
      transaction.onabort = () => reject(transaction.error ?? new Error('the transaction was aborted'))
    })
    return changed
  } finally {
    database.close()
  }
}

function open(name: string): Promise<IDBDatabase> {
  const request = indexedDB.open(name, 1)
  request.onupgradeneeded = () => void request.result.createObjectStore(name)
  return done(request)
}

function done<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error ?? new Error('the request failed'))
  })
}
