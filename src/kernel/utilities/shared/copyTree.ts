/** Copies or links files and directory trees for `cp` and `mv`. */
import { Errno } from "../../Errno.ts"
import { FileType, type Stat } from "../../Stat.ts"
import type { UtilityIo } from "./defineUtility.ts"
import { joinPath } from "./paths.ts"

export interface CopyOptions {
  readonly recursive?: boolean
  /** Keeps modes and times. */
  readonly preserve?: boolean
  /** Copies the targets of symbolic links instead of the links. */
  readonly follow?: boolean
  readonly force?: boolean
  readonly verbose?: boolean
  readonly noClobber?: boolean
  readonly update?: boolean
  readonly link?: "hard" | "symbolic" | undefined
  /** Asks whether a file may be overwritten. */
  readonly mayOverwrite?: (path: string) => Promise<boolean>
}

/** Reports an error; the copy has failed. */
const fail = (io: UtilityIo, message: string, errno?: number): false => {
  io.warn(message, errno)
  return false
}

/** Copies a file or a tree. Returns whether all of it was copied; failures are reported. */
export const copyTree = async (
  io: UtilityIo,
  from: string,
  to: string,
  options: CopyOptions,
  depth = 0,
  top = -1,
): Promise<boolean> => {
  const { system } = io
  await io.flushAndYield()
  const source = system.stat(from, { follow: options.follow === true })
  if (typeof source === "number") return fail(io, `cannot stat '${from}'`, source)
  const stat = system.stat(to)
  const target = typeof stat === "number" ? undefined : stat
  if (source.type === FileType.directory) {
    if (!options.recursive) return fail(io, `-r not specified; omitting directory '${from}'`)
    return await copyDirectory(io, from, to, source, target, options, depth, top)
  }
  if (target !== undefined) {
    if (target.type === FileType.directory) return fail(io, `cannot overwrite directory '${to}' with non-directory`)
    if (target.inode === source.inode && target.device === source.device) {
      return fail(io, `'${from}' and '${to}' are the same file`)
    }
    if (options.noClobber || (options.update && target.modified >= source.modified)) return true
    if (await options.mayOverwrite?.(to) === false) return true
  }
  const exists = typeof system.stat(to, { follow: false }) !== "number"
  if (source.type === FileType.symbolicLink) {
    const value = system.readlink(from)
    if (typeof value === "number") return fail(io, `cannot read symbolic link '${from}'`, value)
    if (exists) system.unlink(to)
    const made = system.symlink(value, to)
    if (made < 0) return fail(io, `cannot create symbolic link '${to}'`, made)
  } else if (options.link !== undefined) {
    if (exists && options.force) system.unlink(to)
    const made = options.link === "hard" ? system.link(from, to) : system.symlink(from, to)
    if (made < 0) return fail(io, `cannot create link '${to}'`, made)
  } else if (options.recursive && source.type === FileType.unknown) {
    if (exists) system.unlink(to)
    const made = system.makeFifo(to, source.mode)
    if (made < 0) return fail(io, `cannot create fifo '${to}'`, made)
    if (options.preserve) preserve(io, to, source)
  } else if (!await copyFile(io, from, to, source, options)) return false
  if (options.verbose) io.print(`'${from}' -> '${to}'\n`)
  return true
}

const preserve = ({ system }: UtilityIo, to: string, source: Stat): void => {
  system.setMode(to, source.mode)
  system.setTimes(to, source.accessed, source.modified)
}

const copyDirectory = async (
  io: UtilityIo,
  from: string,
  to: string,
  source: Stat,
  target: Stat | undefined,
  options: CopyOptions,
  depth: number,
  top: number,
): Promise<boolean> => {
  const { system } = io
  if (target !== undefined && target.type !== FileType.directory) {
    return fail(io, `cannot overwrite non-directory '${to}' with directory '${from}'`)
  }
  // Only links that form a loop make a tree deeper than this.
  if (depth > 512) return fail(io, `cannot copy '${from}': it is too deep`)
  if (target === undefined) {
    const made = system.makeDirectory(to, source.mode | 0o700)
    if (made < 0) return fail(io, `cannot create directory '${to}'`, made)
    if (options.verbose) io.print(`'${from}' -> '${to}'\n`)
  }
  const entries = system.list(from)
  if (typeof entries === "number") return fail(io, `cannot access '${from}'`, entries)
  // The directory that the copy creates may be inside its source; it is not copied into itself.
  const own = depth === 0 ? system.stat(to) : top
  const created = typeof own === "number" ? own : own.inode
  let all = true
  for (const entry of entries) {
    all = (entry.type === FileType.directory && entry.inode === created
      ? fail(io, `cannot copy a directory, '${from}', into itself, '${to}'`)
      : await copyTree(io, joinPath(from, entry.name), joinPath(to, entry.name), options, depth + 1, created)) && all
  }
  await io.flushAndYield()
  if (options.preserve) preserve(io, to, source)
  return all
}

const copyFile = async (
  io: UtilityIo,
  from: string,
  to: string,
  source: Stat,
  options: CopyOptions,
): Promise<boolean> => {
  const { system } = io
  const input = system.open(from, { read: true })
  if (input < 0) return fail(io, `cannot open '${from}' for reading`, input)
  const opening = { create: true, mode: source.mode & ~system.umask(), truncate: true, write: true }
  let output = system.open(to, opening)
  if (output === -Errno.EACCES && options.force && system.unlink(to) >= 0) output = system.open(to, opening)
  if (output < 0) {
    system.close(input)
    return fail(io, `cannot create regular file '${to}'`, output)
  }
  const buffer = new Uint8Array(Math.min(65_536, Math.max(512, source.size)))
  let result = 0
  while (result >= 0) {
    await io.flushAndYield()
    result = await system.read(input, buffer)
    if (result <= 0) break
    result = await system.writeAll(output, buffer.subarray(0, result))
  }
  system.close(input)
  system.close(output)
  if (result < 0) return fail(io, `error copying '${from}' to '${to}'`, result)
  if (options.preserve) preserve(io, to, source)
  return true
}
