/** Implements the `rm` utility, which removes files and directory trees. */
import { Errno } from "../Errno.ts"
import { FileType, type Stat } from "../Stat.ts"
import type { Program } from "../System.ts"
import { confirm } from "./shared/confirm.ts"
import { defineUtility, type UtilityIo } from "./shared/defineUtility.ts"
import { baseName, joinPath } from "./shared/paths.ts"

interface RemoveOptions {
  readonly recursive: boolean
  readonly verbose: boolean
  /** Whether to ask before each removal. */
  readonly asks?: boolean
}

/** `rm [-dfiIrRv] [--one-file-system] FILE...`: removes files and directories. Source: rm(1). */
export const rm: Program = defineUtility(
  "rm",
  "r|recursive R f|force d|dir v|verbose i I interactive:: one-file-system no-preserve-root",
  async (io) => {
    if (io.operands.length === 0) return io.has("f") ? 0 : io.failMissingOperand()
    const when = interactionOf(io)
    const recursive = io.has("r") || io.has("R")
    const options = { asks: when === "always", recursive, verbose: io.has("v") }
    if (when === "once" && (recursive || io.operands.length > 3)) {
      const count = io.operands.length
      const arguments_ = `${count} argument${count === 1 ? "" : "s"}`
      if (!await confirm(io, `remove ${arguments_}${recursive ? " recursively" : ""}?`)) return 0
    }
    for (const path of io.operands) {
      const name = baseName(path)
      if (name === "." || name === "..") io.warn(`refusing to remove '.' or '..' directory: skipping '${path}'`)
      else if (name === "/" && !io.has("no-preserve-root")) io.warn("it is dangerous to operate recursively on '/'")
      else await removeTree(io, path, options)
    }
    return io.exitCode
  },
)

/** When to ask: as the last option of several says. */
const interactionOf = (io: UtilityIo): "always" | "never" | "once" => {
  const [option = "f", value = ""] = io.lastOf("f", "i", "I", "interactive") ?? []
  if (option !== "interactive") return option === "i" ? "always" : option === "I" ? "once" : "never"
  if (value === "" || value === "always" || value === "yes") return "always"
  if (value === "once") return "once"
  return ["never", "no", "none"].includes(value)
    ? "never"
    : io.failUsage(`invalid argument ‘${value}’ for ‘--interactive’`)
}

const describe = ({ size, type }: Stat): string =>
  type === FileType.symbolicLink
    ? "symbolic link"
    : type === FileType.directory
    ? "directory"
    : type === FileType.regularFile
    ? `regular ${size === 0 ? "empty " : ""}file`
    : "file"

/** Removes a file or a tree. Returns whether it is gone; failures are reported. */
export const removeTree = async (
  io: UtilityIo,
  path: string,
  options: RemoveOptions,
  device?: number,
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
  const may = async (): Promise<boolean> => !options.asks || await confirm(io, `remove ${describe(stat)} '${path}'?`)
  if (stat.type !== FileType.directory) return await may() && report(system.unlink(path), "")
  if (!options.recursive) {
    if (!io.has("d")) return report(-Errno.EISDIR, "")
    return await may() && report(system.removeDirectory(path), "directory ")
  }
  if (device !== undefined && stat.device !== device && io.has("one-file-system")) {
    io.warn(`skipping '${path}', since it's on a different device`)
    return false
  }
  const entries = system.list(path)
  if (typeof entries === "number") return report(entries, "directory ")
  if (options.asks && entries.length > 0 && !await confirm(io, `descend into directory '${path}'?`)) return false
  let all = true
  for (const { name } of entries) all = await removeTree(io, joinPath(path, name), options, stat.device) && all
  await io.flushAndYield()
  return all && await may() && report(system.removeDirectory(path), "directory ")
}
