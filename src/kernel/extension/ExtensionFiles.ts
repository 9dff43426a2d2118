/** Gives an extension the files of the sandbox, by the system calls of its process. */
import { concatBytes, encodeUtf8 } from "../../base/bytes.ts"
import { requireCount } from "../../base/OptionError.ts"
import { Errno } from "../Errno.ts"
import { FileFlag } from "../OpenFile.ts"
import type { ReadFileOptions, RemoveOptions, WriteFileOptions } from "../sandbox/SandboxFiles.ts"
import { fileFailed, removeAll } from "../sandbox/SandboxFiles.ts"
import type { DirectoryEntry, Stat } from "../Stat.ts"
import { type ExtensionProcess, hostCall, pathOf } from "./hostCall.ts"

/** Options of writing a file. */
export interface ExtensionWriteOptions extends WriteFileOptions {
  /** Write at the end of the file. Default: `false`, which replaces its content. */
  readonly append?: boolean | undefined
}

/**
 * Files as the command sees them: relative paths start at its working directory, and its permissions, umask and limits
 * apply. Calls are rejected with a `SandboxError` whose reason is `FileFailed`.
 */
export interface ExtensionFiles {
  /** Reads the bytes of a file. */
  readonly readFile: (path: string, options?: ReadFileOptions) => Promise<Uint8Array>
  /** Reads a file as text, decoded as UTF-8. */
  readonly readText: (path: string, options?: ReadFileOptions) => Promise<string>
  /** Writes a file, text as UTF-8. Missing folders on the way are made. */
  readonly writeFile: (path: string, content: string | Uint8Array, options?: ExtensionWriteOptions) => Promise<void>
  /** Whether there is a file or a folder. */
  readonly exists: (path: string) => Promise<boolean>
  /** Lists a folder by name. Default: the working directory. */
  readonly list: (path?: string) => Promise<ReadonlyArray<DirectoryEntry>>
  /** Returns the type, size, mode and times of a file; a symbolic link is followed. */
  readonly stat: (path: string) => Promise<Stat>
  /** Makes a folder, and missing folders on the way. */
  readonly makeFolder: (path: string) => Promise<void>
  /** Removes a file, a link, an empty folder, or with `recursive` a folder with everything in it. */
  readonly remove: (path: string, options?: RemoveOptions) => Promise<void>
}

const pieceBytes = 65_536

export const makeExtensionFiles = (at: ExtensionProcess): ExtensionFiles => {
  const { process } = at
  /** Makes a call on a path; an errno becomes an error. */
  const on = <A>(operation: string, path: string, call: (path: string) => A | number | Promise<A | number>) =>
    hostCall(at, async (): Promise<A> => {
      const done = path === "" ? -Errno.ENOENT : await call(pathOf(at, path))
      if (typeof done === "number") throw fileFailed(operation, path, done)
      return done
    })
  const change = (operation: string, path: string, call: (path: string) => number | Promise<number>): Promise<void> =>
    on(operation, path, async (here) => {
      const done = await call(here)
      return done < 0 ? done : undefined
    })

  const readAll = async (path: string, maxBytes: number): Promise<Uint8Array | number> => {
    const fd = process.open(path, { read: true })
    if (fd < 0) return fd
    try {
      const parts: Array<Uint8Array> = []
      let total = 0
      for (;;) {
        const part = new Uint8Array(Math.min(pieceBytes, maxBytes + 1 - total))
        const count = await process.read(fd, part)
        if (count < 0) return count
        if (count === 0) return concatBytes(parts, total)
        total += count
        if (total > maxBytes) return -Errno.EFBIG
        parts.push(part.subarray(0, count))
      }
    } finally {
      if (process.status === undefined) process.close(fd)
    }
  }
  const makeFolders = (path: string): number => {
    for (let end = path.indexOf("/", 1); end >= 0; end = path.indexOf("/", end + 1)) {
      const made = process.makeDirectory(path.slice(0, end))
      if (made < 0 && made !== -Errno.EEXIST && typeof process.stat(path.slice(0, end)) === "number") return made
    }
    return 0
  }
  const writeAll = async (
    path: string,
    bytes: Uint8Array,
    { append, mode }: ExtensionWriteOptions,
  ): Promise<number> => {
    const made = makeFolders(path)
    if (made < 0) return made
    const flags = append === true ? FileFlag.append : 0
    const fd = process.open(path, { write: true, create: true, truncate: append !== true, flags })
    if (fd < 0) return fd
    try {
      const written = await process.writeAll(fd, bytes)
      return written < 0 || mode === undefined ? written : process.setMode(path, mode)
    } finally {
      if (process.status === undefined) process.close(fd)
    }
  }
  const readFile: ExtensionFiles["readFile"] = (path, { maxBytes = 268_435_456 } = {}) =>
    on("read", path, (here) => readAll(here, requireCount("extension.readFile", "maxBytes", maxBytes, { min: 0 })))
  return {
    readFile,
    readText: (path, options) =>
      hostCall(at, async () => new TextDecoder("utf-8", { ignoreBOM: true }).decode(await readFile(path, options))),
    writeFile: (path, content, options = {}) => {
      const bytes = typeof content === "string" ? encodeUtf8(content) : content.slice()
      return change("write", path, (here) => writeAll(here, bytes, options))
    },
    exists: (path) => hostCall(at, () => path !== "" && typeof process.stat(pathOf(at, path)) !== "number"),
    list: (path = ".") => on("list", path, (here) => process.list(here)),
    stat: (path) => on("look at", path, (here) => process.stat(here)),
    makeFolder: (path) => change("make", path, (here) => makeFolders(`${here}/`)),
    remove: (path, { recursive = false } = {}) =>
      change("remove", path, (here) => removeAll(process.files, process.directory, here, recursive)),
  }
}
