/**
 * The facts of a regular file.
 *
 * @module
 */
import type * as NodeFs from "node:fs"
import { corrupt } from "./fsError.ts"
import type { HostSystem } from "./HostSystem.ts"

/** Looks at a file; `undefined` when it is not there. Throws for anything else: opening a FIFO waits for its other end. */
export const statFile = ({ files }: HostSystem, path: string): NodeFs.Stats | undefined => {
  const found = files.statSync(path, { throwIfNoEntry: false })
  if (found === undefined || found.isFile()) return found
  throw corrupt(path, found.isDirectory() ? "it is a directory" : "it is not a file")
}
