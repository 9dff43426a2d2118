/** Implements the `ls` utility. */
import { yieldNow } from "../Coroutine.ts"
import { errnoText } from "../Errno.ts"
import { FileType, type Stat } from "../Stat.ts"
import type { Program } from "../System.ts"
import { compareStrings, textToBinary } from "../binaryString.ts"
import { compareVersions } from "./shared/sortOrder.ts"
import { formatSize } from "./shared/quantities.ts"
import { diskSpace } from "./shared/diskSpace.ts"
import { formatMode, idsOf, ownerOf } from "../modes.ts"
import { maxFormatLength, strftime } from "../strftime.ts"
import { defineUtility, type UtilityIo } from "./shared/defineUtility.ts"
import { joinPath } from "./shared/paths.ts"

interface Item {
  readonly name: string
  /** The name as a binary string, by which items are sorted. */
  readonly key: string
  readonly path: string
  readonly stat: Stat
}

/** `ls [-aA1CdFghilnopqrRsStTuUvX] [FILE]...`: lists directories, one name per line. Source: ls(1). */
export const ls: Program = defineUtility(
  "ls",
  "a|all A|almost-all 1 C x m l R|recursive d|directory t r|reverse S h|human-readable F|classify:: i|inode " +
    "n|numeric-uid-gid g o G|no-group p s|size u c U f v X L|dereference H k q b N Q|quote-name " +
    "color:: time-style: full-time sort: group-directories-first author Z",
  async (io) => {
    const { system } = io
    const files: Array<Item> = []
    const directories: Array<Item> = []
    const paths = io.operandsOr(".")
    for (const path of paths) {
      const long = isLong(io) || io.has("F") || io.has("d")
      let stat = system.stat(path, { follow: io.has("L") || io.has("H") || !long || path.endsWith("/") })
      if (typeof stat === "number") stat = system.stat(path, { follow: false })
      if (typeof stat === "number") {
        io.printError(`cannot access '${path}': ${errnoText(stat)}`)
        io.exitCode = 2
      } else {
        ;(stat.type === FileType.directory && !io.has("d") ? directories : files).push({
          name: path,
          key: textToBinary(path),
          path,
          stat,
        })
      }
    }
    sortItems(io, files)
    sortItems(io, directories)
    await printItems(io, files)
    let first = files.length === 0
    const titles = paths.length > 1 || io.has("R")
    const list = async (path: string, depth: number): Promise<void> => {
      if (titles) io.print(`${first ? "" : "\n"}${path}:\n`)
      first = false
      const entries = system.list(path)
      if (typeof entries === "number") return warnOpen(io, path, entries)
      const items: Array<Item> = []
      const all = io.has("a") || io.has("f")
      for (const name of [...(all ? [".", ".."] : []), ...entries.map((entry) => entry.name)]) {
        if (name[0] === "." && !all && !io.has("A")) continue
        const stat = system.stat(joinPath(path, name), { follow: io.has("L") })
        const link = typeof stat === "number" ? system.stat(joinPath(path, name), { follow: false }) : stat
        if (typeof link === "number") warnOpen(io, joinPath(path, name), link)
        else items.push({ name, key: textToBinary(name), path: joinPath(path, name), stat: link })
        const turn = yieldNow(system)
        if (turn !== undefined) await turn
      }
      sortItems(io, items)
      if (isLong(io) || io.has("s")) {
        const blocks = items.reduce((sum, { stat }) => sum + blocksOf(stat), 0)
        io.print(`total ${io.has("h") ? formatSize(blocks * 1024) : Math.ceil(blocks)}\n`)
      }
      await printItems(io, items)
      await io.flushAndYield()
      if (!io.has("R") || depth > 512) return
      for (const item of items) {
        if (item.stat.type === FileType.directory && item.name !== "." && item.name !== "..") {
          await list(item.path, depth + 1)
        }
      }
    }
    for (const directory of directories) await list(directory.path, 0)
  },
  { errorExitCode: 2 },
)

const isLong = (io: UtilityIo): boolean => ["l", "n", "g", "o", "full-time"].some((name) => io.has(name))

const warnOpen = (io: UtilityIo, path: string, errno: number): void => {
  io.printError(`cannot open directory '${path}': ${errnoText(errno)}`)
  io.exitCode = Math.max(io.exitCode, 1)
}

const blocksOf = (stat: Stat): number => diskSpace(stat) / 1024

const sortItems = (io: UtilityIo, items: Array<Item>): void => {
  const by = io.value("sort")
  if (io.has("U") || io.has("f") || by === "none") return
  const last = io.lastOf("t", "S", "v", "X")?.[0] ??
    ({ extension: "X", size: "S", time: "t", version: "v" }[by ?? ""] ??
      ((io.has("u") || io.has("c")) && !isLong(io) ? "t" : ""))
  const extension = (item: Item): string => /\.[^.]*$/.exec(item.key)?.[0] ?? ""
  items.sort((a, b) => {
    const order = last === "t"
      ? Number(timeOf(io, b.stat) - timeOf(io, a.stat))
      : last === "S"
      ? b.stat.size - a.stat.size
      : last === "v"
      ? compareVersions(a.key, b.key)
      : last === "X"
      ? compareStrings(extension(a), extension(b))
      : 0
    return order || compareStrings(a.key, b.key)
  })
  if (io.has("r")) items.reverse()
  if (io.has("group-directories-first")) {
    items.sort((a, b) => Number(b.stat.type === FileType.directory) - Number(a.stat.type === FileType.directory))
  }
}

const timeOf = (io: UtilityIo, stat: Stat): bigint =>
  io.has("u") ? stat.accessed : io.has("c") ? stat.changed : stat.modified

/** The mark after a name that shows the type of the file. */
const typeMark = (io: UtilityIo, item: Item): string => {
  const { mode, type } = item.stat
  if (type === FileType.directory) return io.has("F") || io.has("p") ? "/" : ""
  if (!io.has("F")) return ""
  if (type === FileType.symbolicLink) return isLong(io) ? "" : "@"
  return type === FileType.regularFile && (mode & 0o111) !== 0 ? "*" : ""
}

type Cell = readonly [text: string, isLeft?: boolean]

const cellsOf = (io: UtilityIo, stat: Stat): ReadonlyArray<Cell> => {
  const sizeOf = (bytes: number, plain: number): string => io.has("h") ? formatSize(bytes) : `${plain}`
  const cells: Array<Cell> = []
  if (io.has("i")) cells.push([`${stat.inode}`])
  if (io.has("s")) cells.push([sizeOf(blocksOf(stat) * 1024, Math.ceil(blocksOf(stat)))])
  if (!isLong(io)) return cells
  const numeric = io.has("n")
  const { group, user } = numeric ? idsOf(stat) : ownerOf(io.system.env, stat)
  cells.push([formatMode(stat)], [`${stat.links}`])
  if (!io.has("g")) cells.push([user, !numeric])
  if (!(io.has("o") || io.has("G"))) cells.push([group, !numeric])
  cells.push([sizeOf(stat.size, stat.size)], [formatItemTime(io, timeOf(io, stat))])
  return cells
}

const printItems = async (io: UtilityIo, items: ReadonlyArray<Item>): Promise<void> => {
  const quote = (name: string): string => io.has("Q") ? JSON.stringify(name) : name
  const rows: Array<ReadonlyArray<Cell>> = []
  for (const { stat } of items) {
    rows.push(cellsOf(io, stat))
    const turn = yieldNow(io.system)
    if (turn !== undefined) await turn
  }
  const widths: Array<number> = []
  for (const row of rows) row.forEach(([text], at) => widths[at] = Math.max(widths[at] ?? 0, text.length))
  const lines = items.map((item, row) => {
    const cells = (rows[row] ?? []).map(([text, isLeft], at) =>
      isLeft === true ? text.padEnd(widths[at] ?? 0) : text.padStart(widths[at] ?? 0)
    )
    const target = isLong(io) && item.stat.type === FileType.symbolicLink ? io.system.readlink(item.path) : undefined
    const arrow = typeof target === "string" ? ` -> ${quote(target)}` : ""
    return [...cells, quote(item.name) + typeMark(io, item) + arrow].join(" ")
  })
  if (lines.length > 0) io.print(`${lines.join(io.has("m") && !isLong(io) ? ", " : "\n")}\n`)
}

const halfYearNanos = 15_778_476_000_000_000n

const formatItemTime = (io: UtilityIo, when: bigint): string => {
  const now = io.system.now()
  const style = io.has("full-time") ? "full-iso" : io.value("time-style") ?? ""
  const recent = when <= now && when > now - halfYearNanos
  const format = style === "full-iso"
    ? "%Y-%m-%d %H:%M:%S.%N %z"
    : style === "long-iso"
    ? "%Y-%m-%d %H:%M"
    : style === "iso"
    ? (recent ? "%m-%d %H:%M" : "%Y-%m-%d ")
    : style[0] === "+"
    ? style.length > maxFormatLength
      ? io.fail(`the time style is longer than ${maxFormatLength} characters`)
      : style.slice(1)
    : recent
    ? "%b %e %H:%M"
    : "%b %e  %Y"
  return strftime(format, when, io.zone)
}
