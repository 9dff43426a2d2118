/** Implements the `rm` utility, which removes files and directory trees. */
import { Errno } from "../Errno.ts"
import { FileType } from "../Stat.ts"
import type { Program } from "../System.ts"
import { defineUtility, type UtilityIo } from "./shared/defineUtility.ts"
import { baseName, joinPath } from "./shared/paths.ts"

/** `rm [-rRfdv] FILE...`: removes files and directories. Source: rm(1). */
export const rm: Program = defineUtility(
  "rm",
  "r|recursive R f|force d|dir v|verbose i I one-file-system no-preserve-root",
  async (io) => {
    if (io.operands.length === 0) return io.has("f") ? 0 : io.failMissingOperand()
    const options = { recursive: io.has("r") || io.has("R"), verbose: io.has("v") }
    for (const path of io.operands) {
      const name = baseName(path)
      if (name === "." || name === "..") io.warn(`refusing to remove '.' or '..' directory: skipping '${path}'`)
      else if (name === "/" && !io.has("no-preserve-root")) io.warn("it is dangerous to operate recursively on '/'")
      else await removeTree(io, path, options)
    }
    return io.exitCode
  },
)

/** Removes a file or a tree. Returns whether it is gone; failures are reported. */
export const removeTree = async (
  io: UtilityIo,
  path: string,
  options: { readonly recursive: boolean; readonly verbose: boolean },
): Promise<boolean> => {
  const { system } = io
  await io.flushAndYield()
  const stat = system.stat(path, { follow: false })
  const report = (result: number, kind: string): boolean => {
    if (result >= 0 && options.verbose) io.print(`removed ${kind}'${path}'\n`)
    if (result < 0) io.warn(`cannot remove '${path}'`, result)
    return result >= 0
  }
  if (typeof stat === "number") {
    if (io.has("f") && (stat === -Errno.ENOENT || stat === -Errno.ENOTDIR)) return true
    return report(stat, "")
  }
  if (stat.type !== FileType.directory) return report(system.unlink(path), "")
  if (!options.recursive) {
    return io.has("d") ? report(system.removeDirectory(path), "directory ") : report(-Errno.EISDIR, "")
  }
  const entries = system.list(path)
  if (typeof entries === "number") return report(entries, "directory ")
  let all = true
  for (const { name } of entries) all = await removeTree(io, joinPath(path, name), options) && all
  await io.flushAndYield()
  return all && report(system.removeDirectory(path), "directory ")
}
