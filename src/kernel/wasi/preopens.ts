/** Makes the descriptors of the folders that a WASI program gets at its start. */
import type { FileSystem } from "../FileSystem.ts"
import type { Directory } from "../OpenFile.ts"
import { allRights } from "./Rights.ts"
import { Descriptor } from "./WasiProcess.ts"

/** First descriptor at which programs look for preopens: they count up until one is not open. */
export const firstPreopen = 3

/** Opens a folder as a preopen at the lowest free number from {@link firstPreopen} on; or returns a negative errno. */
export const folderDescriptor = (
  files: FileSystem,
  path: string,
  name: string,
  workingDirectory?: string,
): Descriptor | number => {
  const folder = files.open(files.root, path, { directory: true, read: true })
  return typeof folder === "number" ? folder : new Descriptor(folder, allRights, allRights, name, workingDirectory)
}

/** Opens the preopen of a path, relative to the working directory; or returns a negative errno. */
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
 * Opens the whole tree as `/`, or returns a negative errno. WASI has no working directory: a libc makes the same call for `a`
 * and `/a`. A program in `/work` still finds its `a` and `../b` there; names that do not exist there are looked up from the
 * root.
 */
export const rootDescriptor = (files: FileSystem, workingDirectory: string): Descriptor | number => {
  const from = workingDirectory.replace(/^\/+|\/+$/g, "")
  return folderDescriptor(files, "/", "/", from === "" ? undefined : from)
}
