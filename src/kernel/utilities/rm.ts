import { Errno } from "../Errno.ts"
import { FileType } from "../Stat.ts"
import type { Program } from "../System.ts"
import { utility, type UtilityIo } from "./shared/utility.ts"
import { baseName, joinPath } from "./shared/walk.ts"

/** `rm [-rRfdv] FILE...`: removes files, and folders with what is in them. Source: rm(1). */
export const rm: Program = utility(
  "rm",
  "r|recursive R f|force d|dir v|verbose i I one-file-system no-preserve-root",
  async (io) => {
    if (io.operands.length === 0) return io.has("f") ? 0 : io.missingOperand()
    for (const path of io.operands) {
      const name = baseName(path)
      if (name === "." || name === "..") io.warn(`refusing to remove '.' or '..' directory: skipping '${path}'`)
      else if (name === "/" && !io.has("no-preserve-root")) io.warn("it is dangerous to operate recursively on '/'")
      else await removeTree(io, path, io.has("r") || io.has("R"))
    }
    return io.status
  },
)

/** Removes what is at a path. Answers whether it is gone. */
const removeTree = async (io: UtilityIo, path: string, recursive: boolean): Promise<boolean> => {
  const { system } = io
  const pause = io.settle()
  if (pause !== undefined) await pause
  const stat = system.stat(path, { follow: false })
  const gone = (result: number, kind: string): boolean => {
    if (result >= 0 && io.has("v")) io.out.putText(`removed ${kind}'${path}'\n`)
    if (result < 0) io.warn(`cannot remove '${path}'`, result)
    return result >= 0
  }
  if (typeof stat === "number") {
    if (io.has("f") && (stat === -Errno.ENOENT || stat === -Errno.ENOTDIR)) return true
    return gone(stat, "")
  }
  if (stat.type !== FileType.directory) return gone(system.unlink(path), "")
  if (!recursive) return io.has("d") ? gone(system.removeDirectory(path), "directory ") : gone(-Errno.EISDIR, "")
  const entries = system.list(path)
  if (typeof entries === "number") return gone(entries, "directory ")
  let all = true
  for (const { name } of entries) all = await removeTree(io, joinPath(path, name), true) && all
  return all && gone(system.removeDirectory(path), "directory ")
}
