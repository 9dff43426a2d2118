/** Marks the extensions that settle soon after their signal is aborted: closing the kernel waits for these. */
import type { Extension } from "../process/Extension.ts"

const awaited = new WeakSet<Extension>()

/** A fiber that is interrupted ends with its finalizers; a plain function may never look at its signal. */
export const awaitAtClose = (extension: Extension): Extension => {
  awaited.add(extension)
  return extension
}

export const isAwaitedAtClose = (extension: Extension): boolean => awaited.has(extension)
