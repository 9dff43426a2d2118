/** Implements the `du` utility, which prints the disk usage of files and directory trees. */
import { binaryToText } from "../../binaryString.ts"
import { FileType, type Stat } from "../../Stat.ts"
import { strftime } from "../../strftime.ts"
import type { Program } from "../../System.ts"
import { compileGlob } from "../shared/compileGlob.ts"
import { diskSpace } from "../shared/diskSpace.ts"
import { formatSize, parseSize } from "../shared/quantities.ts"
import { defineUtility, type UtilityIo } from "../shared/defineUtility.ts"
import { joinPath } from "../shared/paths.ts"

/**
 * `du [-abchks] [-d N] [--apparent-size] [-B SIZE] [FILE]...`: prints the disk usage of files and directories. Source: du(1).
 */
export const du: Program = defineUtility(
  "du",
  "a|all b|bytes c|total h|human-readable k m s|summarize d|max-depth: apparent-size B|block-size: S|separate-dirs 0|null L|dereference " +
    "exclude: X|exclude-from: time:: time-style: t|threshold: inodes",
  async (io) => {
    const maxDepth = io.has("s") ? 0 : Number(io.value("d") ?? "Infinity")
    if (Number.isNaN(maxDepth)) return io.failUsage(`invalid maximum depth ‘${io.value("d") ?? ""}’`)
    const [unitName, size] = io.lastOf("b", "h", "k", "m", "B") ?? ["k", ""]
    const sizes: Readonly<Record<string, string>> = { b: "1", k: "1K", m: "1M", B: size }
    const unit = parseSize(sizes[unitName] ?? "1K") || io.fail("invalid -B argument")
    const patterns = [...io.values("exclude")]
    for (const list of io.values("X")) {
      const input = io.openInput(list)
      if (input === undefined) return 1
      await io.forEachLine([input], (line) => void patterns.push(binaryToText(line)))
      input.close()
    }
    const globs = patterns.map((pattern) => compileGlob(pattern))
    const style = timeFormats[io.value("time-style") ?? "long-iso"] ?? io.value("time-style")?.replace(/^\+/, "") ?? ""
    const minBytes = io.value("t") === undefined
      ? -Infinity
      : parseSize(io.value("t") ?? "") ?? io.fail("invalid -t argument")
    const measured = { isExcluded: (path: string) => isExcluded(globs, path), seen: new Set<string>() }
    const show = ({ bytes, time }: Usage, path: string): void => {
      if (bytes < minBytes) return
      const size = io.has("inodes") ? `${bytes}` : unitName === "h" ? formatSize(bytes) : `${Math.ceil(bytes / unit)}`
      const when = io.has("time") ? `\t${strftime(style, time, io.zone)}` : ""
      io.printLine(`${size}${when}\t${path}`, "0")
    }
    let total: Usage = { bytes: 0, time: 0n }
    for (const path of io.operandsOr(".")) {
      const usage = await measureTree(io, path, 0, (own, name, depth, isDirectory) => {
        if (depth === 0 || (depth <= maxDepth && (isDirectory || io.has("a")))) show(own, name)
      }, measured)
      total = addUsage(total, usage)
    }
    if (io.has("c")) show(total, "total")
    return io.exitCode
  },
)

/** Space of a tree, and the latest time in it. */
interface Usage {
  readonly bytes: number
  readonly time: bigint
}

const addUsage = (one: Usage, two: Usage): Usage => ({
  bytes: one.bytes + two.bytes,
  time: one.time > two.time ? one.time : two.time,
})

const timeFormats: Readonly<Record<string, string>> = {
  ...{ "full-iso": "%Y-%m-%d %H:%M:%S.%N %z", iso: "%Y-%m-%d", "long-iso": "%Y-%m-%d %H:%M" },
}

const timeFields: Readonly<Record<string, (stat: Stat) => bigint>> = {
  ...{ mtime: ({ modified }) => modified, atime: ({ accessed }) => accessed, access: ({ accessed }) => accessed },
  ...{ use: ({ accessed }) => accessed, ctime: ({ changed }) => changed, status: ({ changed }) => changed },
}

/** Whether a pattern matches the path or a part of it from a slash on. */
const isExcluded = (globs: ReadonlyArray<(text: string) => boolean>, path: string): boolean =>
  globs.length > 0 &&
  [0, ...Array.from(path.matchAll(/\//g), ({ index }) => index + 1)].some((from) =>
    globs.some((test) => test(path.slice(from)))
  )

const measureTree = async (
  io: UtilityIo,
  path: string,
  depth: number,
  show: (usage: Usage, path: string, depth: number, isDirectory: boolean) => void,
  measured: { readonly isExcluded: (path: string) => boolean; readonly seen: Set<string> },
): Promise<Usage> => {
  const nothing: Usage = { bytes: 0, time: 0n }
  if (measured.isExcluded(path)) return nothing
  await io.flushAndYield()
  const stat = io.system.stat(path, { follow: io.has("L") })
  if (typeof stat === "number") {
    io.warn(`cannot access '${path}'`, stat)
    return nothing
  }
  const isDirectory = stat.type === FileType.directory
  const key = `${stat.device}:${stat.inode}`
  if (stat.links > 1 && !isDirectory) {
    // A file with several names counts once.
    if (measured.seen.has(key)) return nothing
    measured.seen.add(key)
  }
  const apparent = io.has("b") || io.has("apparent-size")
  const space = apparent && (!isDirectory || stat.blocks !== undefined) ? stat.size : diskSpace(stat)
  const timeOf = timeFields[io.value("time") || "mtime"] ??
    io.fail(`invalid argument ‘${io.value("time")}’ for ‘--time’`)
  const own: Usage = { bytes: io.has("inodes") ? 1 : space, time: timeOf(stat) }
  let usage = own
  if (isDirectory && depth < 512) {
    const entries = io.system.list(path)
    if (typeof entries === "number") io.warn(`cannot read directory '${path}'`, entries)
    else {
      for (const { name } of entries) {
        const inside = joinPath(path, name)
        const below = await measureTree(io, inside, depth + 1, show, measured)
        usage = addUsage(usage, io.has("S") && io.isDirectory(inside) ? { bytes: 0, time: below.time } : below)
      }
    }
  }
  show(usage, path, depth, isDirectory)
  return usage
}
