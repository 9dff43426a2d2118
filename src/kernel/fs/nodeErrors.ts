/** Converts errors, stats and names of `node:fs` into those of the kernel. */
import type * as NodeFs from "node:fs"
import { readErrorCode } from "../../base/readErrorCode.ts"
import { Errno } from "../Errno.ts"
import type { HostEntry } from "./HostFiles.ts"
import { FileType, type Stat } from "../Stat.ts"

const errnos: ReadonlyMap<string, number> = new Map<string, number>([
  ...Object.entries(Errno),
  ["EOPNOTSUPP", Errno.ENOTSUP],
  ["ERR_INVALID_ARG_VALUE", Errno.EINVAL],
  ["ERR_OUT_OF_RANGE", Errno.EINVAL],
  ["NotCapable", Errno.EACCES],
])

const errnoOf = (error: unknown): number => {
  if (!(error instanceof Error)) return -Errno.EIO
  const code = readErrorCode(error) ?? error.name
  return -(errnos.get(code) ?? errnos.get(error.name) ?? Errno.EIO)
}

export const resultOrErrno = <A>(call: () => A): A | number => {
  try {
    return call()
  } catch (error) {
    return errnoOf(error)
  }
}

/** Returns 0 after a call, or the errno of the error that it throws. */
export const zeroOrErrno = (call: () => void): number => {
  try {
    call()
    return 0
  } catch (error) {
    return errnoOf(error)
  }
}

const typeOf = (stat: NodeFs.BigIntStats): FileType =>
  stat.isFile()
    ? FileType.regularFile
    : stat.isDirectory()
    ? FileType.directory
    : stat.isSymbolicLink()
    ? FileType.symbolicLink
    : stat.isCharacterDevice()
    ? FileType.characterDevice
    : stat.isBlockDevice()
    ? FileType.blockDevice
    : stat.isSocket()
    ? FileType.socketStream
    : FileType.unknown

/** Converts a name in a folder of the host. Deno lists only these types; a stat returns the others. */
export const toHostEntry = (entry: NodeFs.Dirent): HostEntry => {
  const type = entry.isFile()
    ? FileType.regularFile
    : entry.isDirectory()
    ? FileType.directory
    : entry.isSymbolicLink()
    ? FileType.symbolicLink
    : undefined
  return { name: entry.name, type: entry.name.includes("\ufffd") ? undefined : type }
}

export const toStat = (stat: NodeFs.BigIntStats): Stat => ({
  device: Number(stat.dev),
  inode: Number(stat.ino),
  type: typeOf(stat),
  mode: Number(stat.mode) & 0o7777,
  links: Number(stat.nlink),
  size: Number(stat.size),
  accessed: stat.atimeNs,
  modified: stat.mtimeNs,
  changed: stat.ctimeNs,
})
