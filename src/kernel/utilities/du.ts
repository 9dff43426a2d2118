/** Implements the `du` utility, which prints the disk usage of files and directory trees. */
import { FileType } from "../Stat.ts"
import type { Program } from "../System.ts"
import { diskSpace } from "./shared/diskSpace.ts"
import { formatSize, parseSize } from "./shared/quantities.ts"
import { defineUtility, type UtilityIo } from "./shared/defineUtility.ts"
import { joinPath } from "./shared/paths.ts"

/**
 * `du [-abchks] [-d N] [--apparent-size] [-B SIZE] [FILE]...`: prints the disk usage of files and directories. Source: du(1).
 */
export const du: Program = defineUtility(
  "du",
  "a|all b|bytes c|total h|human-readable k m s|summarize d|max-depth: apparent-size B|block-size: S|separate-dirs 0|null L|dereference x",
  async (io) => {
    const maxDepth = io.has("s") ? 0 : Number(io.value("d") ?? "Infinity")
    if (Number.isNaN(maxDepth)) return io.failUsage(`invalid maximum depth ‘${io.value("d") ?? ""}’`)
    const unit = io.has("b")
      ? 1
      : io.has("m")
      ? 1 << 20
      : parseSize(io.value("B") ?? "1024") || io.fail("invalid -B argument")
    const show = (bytes: number, path: string): void =>
      io.printLine(`${io.has("h") ? formatSize(bytes) : Math.ceil(bytes / unit)}\t${path}`, "0")
    const seen = new Set<string>()
    let total = 0
    for (const path of io.operandsOr(".")) {
      total += await measureTree(io, path, 0, (bytes, name, depth, isDirectory) => {
        if (depth === 0 || (depth <= maxDepth && (isDirectory || io.has("a")))) show(bytes, name)
      }, seen)
    }
    if (io.has("c")) show(total, "total")
  },
)

const measureTree = async (
  io: UtilityIo,
  path: string,
  depth: number,
  show: (bytes: number, path: string, depth: number, isDirectory: boolean) => void,
  seen: Set<string>,
): Promise<number> => {
  await io.flushAndYield()
  const stat = io.system.stat(path, { follow: io.has("L") })
  if (typeof stat === "number") {
    io.warn(`cannot access '${path}'`, stat)
    return 0
  }
  const isDirectory = stat.type === FileType.directory
  const key = `${stat.device}:${stat.inode}`
  if (stat.links > 1 && !isDirectory) {
    // A file with several names counts once.
    if (seen.has(key)) return 0
    seen.add(key)
  }
  const apparent = io.has("b") || io.has("apparent-size")
  let bytes = apparent && (!isDirectory || stat.blocks !== undefined) ? stat.size : diskSpace(stat)
  if (isDirectory && depth < 512) {
    const entries = io.system.list(path)
    if (typeof entries === "number") io.warn(`cannot read directory '${path}'`, entries)
    else for (const { name } of entries) bytes += await measureTree(io, joinPath(path, name), depth + 1, show, seen)
  }
  show(bytes, path, depth, isDirectory)
  return bytes
}
