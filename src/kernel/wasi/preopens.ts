/**
 * Opens the folders that a WASI program is given at its start.
 *
 * @module
 */
import type { FileSystem } from "../FileSystem.ts"
import type { Directory } from "../OpenFile.ts"
import { allRights } from "./Rights.ts"
import { Descriptor } from "./WasiProcess.ts"

/** Where programs look for the folders that they were given: they count up from here until one is not open. */
export const firstPreopen = 3

/**
 * A folder by a name of its own, out of which no path leads; or a negative errno. It goes to the lowest free number from
 * {@link firstPreopen} on.
 */
export const folderDescriptor = (
  files: FileSystem,
  path: string,
  name: string,
  workingDirectory?: string,
): Descriptor | number => {
  const folder = files.open(files.root, path, { directory: true, read: true })
  return typeof folder === "number" ? folder : new Descriptor(folder, allRights, allRights, name, workingDirectory)
}

/**
 * The folder of a path by a name, as a program's options name it; or a negative errno. A relative path starts at the
 * program's working directory, whose tree is seen as {@link rootDescriptor} says when it is given as `/`.
 */
export const preopenDescriptor = (
  files: FileSystem,
  workingDirectory: Directory,
  name: string,
  path: string,
): Descriptor | number => {
  const folder = files.directory(workingDirectory, path)
  if (typeof folder === "number") return folder
  return name === "/" && folder === files.root
    ? rootDescriptor(files, workingDirectory.path)
    : folderDescriptor(files, folder.path, name)
}

/**
 * The whole tree as `/`, or a negative errno.
 *
 * WASI has no working directory: a libc asks for `a` and for `/a` with the same words. A program that is started in
 * `/work` nevertheless finds its `a` there, and its `../b`; what is not there is looked for from the root.
 */
export const rootDescriptor = (files: FileSystem, workingDirectory: string): Descriptor | number => {
  const from = workingDirectory.replace(/^\/+|\/+$/g, "")
  return folderDescriptor(files, "/", "/", from === "" ? undefined : from)
}
