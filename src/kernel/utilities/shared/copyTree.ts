import { Errno } from "../../Errno.ts"
import { FileType, type Stat } from "../../Stat.ts"
import type { UtilityIo } from "./utility.ts"
import { joinPath } from "./walk.ts"

/** How to copy. */
export interface CopyOptions {
  readonly recursive: boolean
  /** Keep modes and times. */
  readonly preserve: boolean
  /** Copy what links lead to, not the links. */
  readonly follow: boolean
  readonly force: boolean
  readonly verbose: boolean
  readonly noClobber: boolean
  readonly update: boolean
  readonly link?: "hard" | "symbolic" | undefined
}

/** Copies what is at a path to another. Answers whether all of it went well. */
export const copyTree = async (
  io: UtilityIo,
  from: string,
  to: string,
  options: CopyOptions,
  depth = 0,
  top = -1,
): Promise<boolean> => {
  const { system } = io
  const source = system.stat(from, { follow: options.follow })
  const wrong = (what: string, errno: number): boolean => {
    io.warn(what, errno)
    return false
  }
  if (typeof source === "number") return wrong(`cannot stat '${from}'`, source)
  const target = system.stat(to)
  const known = typeof target === "number" ? undefined : target
  if (source.type === FileType.directory) {
    if (!options.recursive) {
      io.warn(`-r not specified; omitting directory '${from}'`)
      return false
    }
    return await copyFolder(io, from, to, source, known, options, depth, top)
  }
  if (known !== undefined) {
    if (known.type === FileType.directory) {
      io.warn(`cannot overwrite directory '${to}' with non-directory`)
      return false
    }
    if (known.inode === source.inode && known.device === source.device) {
      io.warn(`'${from}' and '${to}' are the same file`)
      return false
    }
    if (options.noClobber || (options.update && known.modified >= source.modified)) return true
  }
  const lower = system.stat(to, { follow: false })
  if (source.type === FileType.symbolicLink) {
    const value = system.readlink(from)
    if (typeof value === "number") return wrong(`cannot read symbolic link '${from}'`, value)
    if (typeof lower !== "number") system.unlink(to)
    const made = system.symlink(value, to)
    if (made < 0) return wrong(`cannot create symbolic link '${to}'`, made)
  } else if (options.link !== undefined) {
    if (typeof lower !== "number" && options.force) system.unlink(to)
    const made = options.link === "hard" ? system.link(from, to) : system.symlink(from, to)
    if (made < 0) return wrong(`cannot create link '${to}'`, made)
  } else if (!await copyFile(io, from, to, source, options)) return false
  if (options.verbose) io.out.putText(`'${from}' -> '${to}'\n`)
  return true
}

const copyFolder = async (
  io: UtilityIo,
  from: string,
  to: string,
  source: Stat,
  known: Stat | undefined,
  options: CopyOptions,
  depth: number,
  top: number,
): Promise<boolean> => {
  const { system } = io
  if (known !== undefined && known.type !== FileType.directory) {
    io.warn(`cannot overwrite non-directory '${to}' with directory '${from}'`)
    return false
  }
  // A folder that is copied into itself would never end.
  if (depth > 512) {
    io.warn(`cannot copy '${from}': it is too deep`)
    return false
  }
  if (known === undefined) {
    const made = system.makeDirectory(to, source.mode | 0o700)
    if (made < 0) {
      io.warn(`cannot create directory '${to}'`, made)
      return false
    }
    if (options.verbose) io.out.putText(`'${from}' -> '${to}'\n`)
  }
  const entries = system.list(from)
  if (typeof entries === "number") {
    io.warn(`cannot access '${from}'`, entries)
    return false
  }
  // The folder that is being made is not copied, should it be within what is copied.
  const own = depth === 0 ? system.stat(to) : top
  const made = typeof own === "number" ? own : own.inode
  let all = true
  for (const entry of entries) {
    if (entry.inode === made && entry.type === FileType.directory) {
      io.warn(`cannot copy a directory, '${from}', into itself, '${to}'`)
      all = false
    } else {all = await copyTree(io, joinPath(from, entry.name), joinPath(to, entry.name), options, depth + 1, made) &&
        all}
  }
  if (options.preserve) {
    system.setMode(to, source.mode)
    system.setTimes(to, source.accessed, source.modified)
  }
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
  if (input < 0) {
    io.warn(`cannot open '${from}' for reading`, input)
    return false
  }
  const how = { create: true, mode: source.mode & ~system.umask(), truncate: true, write: true }
  let output = system.open(to, how)
  if (output === -Errno.EACCES && options.force && system.unlink(to) >= 0) output = system.open(to, how)
  if (output < 0) {
    io.warn(`cannot create regular file '${to}'`, output)
    system.close(input)
    return false
  }
  const buffer = new Uint8Array(Math.min(65_536, Math.max(512, source.size)))
  let result = 0
  for (;;) {
    const pause = io.settle()
    if (pause !== undefined) await pause
    let got = system.read(input, buffer)
    if (typeof got !== "number") got = await got
    if (got <= 0) {
      result = got
      break
    }
    result = await system.writeAll(output, buffer.subarray(0, got))
    if (result < 0) break
  }
  system.close(input)
  system.close(output)
  if (result < 0) io.warn(`error copying '${from}' to '${to}'`, result)
  else if (options.preserve) {
    system.setMode(to, source.mode)
    system.setTimes(to, source.accessed, source.modified)
  }
  return result >= 0
}
