/**
 * What a WASI program is given of the file system.
 *
 * @module
 */
import type { FileSystem } from "../FileSystem.ts"
import { allRights } from "./Rights.ts"
import { Descriptor } from "./WasiProcess.ts"

/** Where programs look for the folders that they were given: they count up from here until one is not open. */
export const firstPreopen = 3

/**
 * The whole tree as `/`, for the lowest free number from {@link firstPreopen} on; or a negative errno.
 *
 * WASI has no working directory: a libc asks for `a` and for `/a` with the same words. A program that is started in
 * `/work` nevertheless finds its `a` there, and its `../b`; what is not there is looked for from the root.
 */
export const rootDescriptor = (files: FileSystem, workingDirectory: string): Descriptor | number => {
  const root = files.open(files.root, "/", { directory: true, read: true })
  if (typeof root === "number") return root
  const from = workingDirectory.replace(/^\/+|\/+$/g, "")
  return new Descriptor(root, allRights, allRights, "/", from === "" ? undefined : from)
}
