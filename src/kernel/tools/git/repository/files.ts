/** Reads and writes whole files of a repository over the system calls. */
import { decodeLossless, encodeLossless } from "../../../../base/surrogateEscape.ts"
import { Errno, errnoText } from "../../../Errno.ts"
import { FileType, type Stat } from "../../../Stat.ts"
import type { System } from "../../../System.ts"
import { makeParents } from "../../../utilities/http/files.ts"
import { resolvePath } from "../../../utilities/shared/paths.ts"
import { fatal } from "../GitError.ts"

/** Maximum bytes of one file that is held in memory: a pack, a blob, an index. */
export const maxFileBytes = 268_435_456

const isMissing = (errno: number): boolean => errno === -Errno.ENOENT || errno === -Errno.ENOTDIR

/** Reads a file; `undefined` if there is none, or if it is a folder. */
export const readFileIfExists = async (system: System, path: string): Promise<Uint8Array<ArrayBuffer> | undefined> => {
  const stat = system.stat(path)
  if (typeof stat === "number") return isMissing(stat) ? undefined : fatal(`${path}: ${errnoText(stat)}`)
  if (stat.type === FileType.directory) return undefined
  if (stat.size > maxFileBytes) {
    return fatal(`${path}: larger than ${maxFileBytes} bytes, which git would hold in memory`)
  }
  const fd = system.open(path, { read: true })
  if (fd < 0) return isMissing(fd) ? undefined : fatal(`could not open '${path}': ${errnoText(fd)}`)
  try {
    const bytes = new Uint8Array(stat.size)
    let got = 0
    while (got < bytes.length) {
      const count = await system.read(fd, bytes.subarray(got))
      if (count < 0) return fatal(`could not read '${path}': ${errnoText(count)}`)
      if (count === 0) break
      got += count
    }
    return got === bytes.length ? bytes : bytes.slice(0, got)
  } finally {
    system.close(fd)
  }
}

export const readTextIfExists = async (system: System, path: string): Promise<string | undefined> => {
  const bytes = await readFileIfExists(system, path)
  return bytes === undefined ? undefined : decodeLossless(bytes)
}

/** Writes a file and the folders above it. */
export const writeBytes = async (system: System, path: string, bytes: Uint8Array, mode = 0o666): Promise<void> => {
  makeParents(system, path)
  const fd = system.open(path, { write: true, create: true, truncate: true, mode })
  if (fd < 0) fatal(`could not create '${path}': ${errnoText(fd)}`)
  try {
    const written = await system.writeAll(fd, bytes)
    if (written < 0) fatal(`could not write '${path}': ${errnoText(written)}`)
  } finally {
    system.close(fd)
  }
}

/** Replaces a file in one step: readers see the old content or the new one. */
export const replaceFile = async (system: System, path: string, content: string | Uint8Array): Promise<void> => {
  await writeBytes(system, `${path}.lock`, typeof content === "string" ? encodeLossless(content) : content)
  const renamed = system.rename(`${path}.lock`, path)
  if (renamed < 0) fatal(`could not replace '${path}': ${errnoText(renamed)}`)
}

export const appendText = async (system: System, path: string, text: string): Promise<void> => {
  makeParents(system, path)
  const fd = system.open(path, { write: true, create: true, flags: 1 })
  if (fd < 0) fatal(`could not append to '${path}': ${errnoText(fd)}`)
  try {
    await system.writeAll(fd, encodeLossless(text))
  } finally {
    system.close(fd)
  }
}

/** The stat of a path itself, not of what it links to; `undefined` if there is none. */
export const lstat = (system: System, path: string): Stat | undefined => {
  const stat = system.stat(path, { follow: false })
  return typeof stat === "number" ? undefined : stat
}

export const exists = (system: System, path: string): boolean => typeof system.stat(path) !== "number"

export const isDirectory = (system: System, path: string): boolean => {
  const stat = system.stat(path)
  return typeof stat !== "number" && stat.type === FileType.directory
}

/** Removes folders that became empty, from a path's own up to below `top` or the working directory. */
export const removeEmptyParents = (system: System, path: string, top: string): void => {
  const cwd = resolvePath(system, ".", "none")
  for (let folder = path.slice(0, path.lastIndexOf("/")); folder.length > top.length && folder !== cwd;) {
    if (system.removeDirectory(folder) < 0) return
    folder = folder.slice(0, folder.lastIndexOf("/"))
  }
}

/** Removes a tree. Links are removed, not followed. */
export const removeTree = async (system: System, path: string): Promise<void> => {
  await system.yield()
  if (lstat(system, path)?.type !== FileType.directory) {
    system.unlink(path)
    return
  }
  const entries = system.list(path)
  if (typeof entries === "object") { for (const { name } of entries) await removeTree(system, `${path}/${name}`) }
  system.removeDirectory(path)
}
