/**
 * Keeps other children from inheriting terminals: lists the descriptors that a child would inherit, and replaces them.
 */
import type * as NodeFs from "node:fs"

/**
 * Descriptors of masters that are not close-on-exec, with their owner: engines do not set the flag, and Node cannot.
 */
const openMasters: Map<number, object> = new Map()

/** Adds a master. The returned function removes it, unless another master has the number by then. */
export const addMaster = (fd: number, owner: object): () => void => {
  openMasters.set(fd, owner)
  return () => {
    if (openMasters.get(fd) === owner) openMasters.delete(fd)
  }
}

let devNull: number | undefined

/**
 * The descriptors of a child of `node:child_process` from `first` on: `/dev/null` in place of each open master. A child that
 * had the master could read and type into the terminal of another command, even from inside a sandbox.
 */
export const coverMasters = (fs: typeof NodeFs, first: number): ReadonlyArray<number | "ignore"> => {
  if (openMasters.size === 0) return []
  const last = Math.max(...openMasters.keys())
  return Array.from(
    { length: Math.max(0, last + 1 - first) },
    (_, index) => openMasters.has(first + index) ? devNull ??= fs.openSync("/dev/null", "r+") : "ignore",
  )
}
