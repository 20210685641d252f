/** A promise with its `resolve`, for runtimes without `Promise.withResolvers()`. */
export function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve = (): void => {}
  const promise = new Promise<void>((settle) => (resolve = settle))
  return { promise, resolve }
}
