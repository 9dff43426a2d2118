/**
 * Implements the file system for isomorphic-git by system calls of the process, each of which may yield to other
 * processes.
 */
import { decodeLossless, encodeLossless } from "../../../../base/surrogateEscape.ts"
import { Errno, errnoName, errnoText } from "../../../Errno.ts"
import { FileType, type Stat } from "../../../Stat.ts"
import type { System } from "../../../System.ts"
import { fatal } from "../GitError.ts"
import { checkLoose, checkPack, checkStoredPack } from "./checkPack.ts"
import { readFileIfExists, writeBytes } from "./files.ts"

class FileError extends Error {
  readonly code: string

  constructor(errno: number, path: string) {
    super(`${errnoName(errno)}: ${errnoText(errno)}, '${path}'`)
    this.code = errnoName(errno)
  }
}

const checked = <A extends object | string>(result: A | number, path: string): A => {
  if (typeof result === "number") throw new FileError(result, path)
  return result
}

const must = (result: number, path: string): void => {
  if (result < 0) throw new FileError(result, path)
}

/** The fields of a stat that isomorphic-git reads. */
interface NodeStat {
  readonly isFile: () => boolean
  readonly isDirectory: () => boolean
  readonly isSymbolicLink: () => boolean
  readonly mode: number
  readonly size: number
  readonly ino: number
  readonly dev: number
  readonly uid: number
  readonly gid: number
  readonly mtimeMs: number
  readonly ctimeMs: number
}

const nodeStat = ({ changed, device, inode, mode, modified, size, type }: Stat): NodeStat => ({
  isFile: () => type === FileType.regularFile,
  isDirectory: () => type === FileType.directory,
  isSymbolicLink: () => type === FileType.symbolicLink,
  mode,
  size,
  ino: inode,
  dev: device,
  uid: 0,
  gid: 0,
  mtimeMs: Number(modified / 1_000_000n),
  ctimeMs: Number(changed / 1_000_000n),
})

/** The functions of `node:fs/promises` that isomorphic-git calls. */
export interface GitFileSystem {
  readonly promises: {
    readonly readFile: (path: string, options?: unknown) => Promise<Uint8Array | string>
    readonly writeFile: (path: string, content: Uint8Array | string) => Promise<void>
    readonly unlink: (path: string) => Promise<void>
    readonly readdir: (path: string) => Promise<Array<string>>
    readonly mkdir: (path: string) => Promise<void>
    readonly rmdir: (path: string) => Promise<void>
    readonly stat: (path: string) => Promise<NodeStat>
    readonly lstat: (path: string) => Promise<NodeStat>
    readonly readlink: (path: string) => Promise<string>
    readonly symlink: (target: string, path: string) => Promise<void>
  }
}

/** The result of a call that does not wait, or its exception, as a promise. */
const settle = <A>(call: () => A): Promise<A> => new Promise((resolve) => resolve(call()))

const wantsText = (options: unknown): boolean =>
  typeof options === "string" ||
  (typeof options === "object" && options !== null && "encoding" in options && typeof options.encoding === "string")

/** Files of a repository that a fetch has no reason to write: a server could choose such names for references. */
const isKept = (path: string): boolean => /^(?:config|HEAD|index|hooks\/|info\/|logs\/)/.test(path)

/** Objects and packs are checked before isomorphic-git sees them, and packs before they are written. */
export const gitFileSystem = (system: System, gitdir: string): GitFileSystem => {
  const indexes = new Map<string, Uint8Array<ArrayBuffer>>()
  const checkRead = async (path: string, bytes: Uint8Array<ArrayBuffer>): Promise<void> => {
    if (/\/objects\/[0-9a-f]{2}\/[0-9a-f]{38}$/.test(path)) await checkLoose(system, bytes)
    if (path.endsWith(".idx")) indexes.set(path, bytes)
    if (!path.endsWith(".pack")) return
    const name = path.replace(/pack$/, "idx")
    const index = indexes.get(name) ?? await readFileIfExists(system, name)
    await (index === undefined ? checkPack(system, bytes) : checkStoredPack(system, bytes, index))
  }
  return { promises: filePromises(system, gitdir, checkRead) }
}

const filePromises = (
  system: System,
  gitdir: string,
  checkRead: (path: string, bytes: Uint8Array<ArrayBuffer>) => Promise<void>,
): GitFileSystem["promises"] => ({
  readFile: async (path, options) => {
    await system.yield()
    const stat = checked<Stat>(system.stat(path), path)
    if (stat.type === FileType.directory) throw new FileError(-Errno.EISDIR, path)
    const bytes = await readFileIfExists(system, path)
    if (bytes === undefined) throw new FileError(-Errno.ENOENT, path)
    await checkRead(path, bytes)
    return wantsText(options) ? decodeLossless(bytes) : bytes
  },
  writeFile: async (path, content) => {
    const inner = path.startsWith(`${gitdir}/`) ? path.slice(gitdir.length + 1) : undefined
    if (inner === undefined || isKept(inner) || inner.split("/").includes("..")) {
      fatal(`cannot write '${path}' for a fetch`)
    }
    const bytes = typeof content === "string" ? encodeLossless(content) : content
    if (path.endsWith(".pack")) await checkPack(system, bytes)
    await writeBytes(system, path, bytes)
    await system.yield()
  },
  unlink: (path) => settle(() => must(system.unlink(path), path)),
  readdir: async (path) => {
    await system.yield()
    return checked(system.list(path), path).map(({ name }) => name)
  },
  mkdir: (path) => settle(() => must(system.makeDirectory(path), path)),
  rmdir: (path) => settle(() => must(system.removeDirectory(path), path)),
  stat: async (path) => {
    await system.yield()
    return nodeStat(checked<Stat>(system.stat(path), path))
  },
  lstat: (path) => settle(() => nodeStat(checked<Stat>(system.stat(path, { follow: false }), path))),
  readlink: (path) => settle(() => checked<string>(system.readlink(path), path)),
  symlink: (target, path) => settle(() => must(system.symlink(target, path), path)),
})
