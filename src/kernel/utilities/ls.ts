import { errnoText } from "../Errno.ts"
import type { Stat } from "../Stat.ts"
import type { Program } from "../System.ts"
import { compareStrings, textToBinary } from "../binaryString.ts"
import { compareVersions } from "./shared/sortOrder.ts"
import { formatSize } from "./shared/quantities.ts"
import { formatMode, ownerOf } from "./shared/modes.ts"
import { formatTime } from "./shared/parseTime.ts"
import { utility, type UtilityIo } from "./shared/utility.ts"
import { joinPath } from "./shared/walk.ts"

interface Item {
  readonly name: string
  readonly path: string
  readonly stat: Stat
}

/** `ls [-aA1CdFghilnopqrRsStTuUvX] [FILE]...`: what is in folders, one name a line. Source: ls(1). */
export const ls: Program = utility(
  "ls",
  "a|all A|almost-all 1 C x m l R|recursive d|directory t r|reverse S h|human-readable F|classify:: i|inode " +
    "n|numeric-uid-gid g o G|no-group p s|size u c U f v X L|dereference H k q b N Q|quote-name " +
    "color:: time-style: full-time sort: group-directories-first author Z",
  async (io) => {
    const { system } = io
    const files: Array<Item> = []
    const folders: Array<Item> = []
    const paths = io.operands.length === 0 ? ["."] : io.operands
    for (const path of paths) {
      const long = isLong(io) || io.has("F") || io.has("d")
      let stat = system.stat(path, { follow: io.has("L") || io.has("H") || !long || path.endsWith("/") })
      if (typeof stat === "number") stat = system.stat(path, { follow: false })
      if (typeof stat === "number") {
        io.say(`cannot access '${path}': ${errnoText(stat)}`)
        io.status = 2
      } else (stat.type === 3 && !io.has("d") ? folders : files).push({ name: path, path, stat })
    }
    arrange(io, files)
    arrange(io, folders)
    show(io, files)
    let first = files.length === 0
    const titles = paths.length > 1 || io.has("R")
    const list = async (path: string, depth: number): Promise<void> => {
      if (titles) io.out.putText(`${first ? "" : "\n"}${path}:\n`)
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
        else items.push({ name, path: joinPath(path, name), stat: link })
      }
      arrange(io, items)
      if (isLong(io) || io.has("s")) {
        const blocks = items.reduce((sum, { stat }) => sum + blocksOf(stat), 0)
        io.out.putText(`total ${io.has("h") ? formatSize(blocks * 1024) : blocks}\n`)
      }
      show(io, items)
      const pause = io.settle()
      if (pause !== undefined) await pause
      if (!io.has("R") || depth > 512) return
      for (const item of items) {
        if (item.stat.type === 3 && item.name !== "." && item.name !== "..") await list(item.path, depth + 1)
      }
    }
    for (const folder of folders) await list(folder.path, 0)
  },
  { trouble: 2 },
)

const isLong = (io: UtilityIo): boolean => ["l", "n", "g", "o", "full-time"].some((name) => io.has(name))

const warnOpen = (io: UtilityIo, path: string, errno: number): void => {
  io.say(`cannot open directory '${path}': ${errnoText(errno)}`)
  io.status = Math.max(io.status, 1)
}

/** Kibibytes on the disk: what a file system of 4 KiB blocks would take. */
const blocksOf = (stat: Stat): number => stat.type === 4 ? Math.ceil(stat.size / 4096) * 4 : stat.type === 3 ? 4 : 0

const arrange = (io: UtilityIo, items: Array<Item>): void => {
  const by = io.value("sort")
  if (io.has("U") || io.has("f") || by === "none") return
  const when = (stat: Stat): bigint => io.has("u") ? stat.accessed : io.has("c") ? stat.changed : stat.modified
  const last = io.options.all.findLast(([name]) => /^[tSvX]$/.test(name))?.[0] ??
    ({ extension: "X", size: "S", time: "t", version: "v" }[by ?? ""] ??
      ((io.has("u") || io.has("c")) && !isLong(io) ? "t" : ""))
  const key = new Map(items.map((item) => [item, textToBinary(item.name)]))
  const name = (item: Item): string => key.get(item) ?? ""
  const extension = (item: Item): string => /\.[^.]*$/.exec(name(item))?.[0] ?? ""
  items.sort((a, b) => {
    const stands = last === "t"
      ? Number(when(b.stat) - when(a.stat))
      : last === "S"
      ? b.stat.size - a.stat.size
      : last === "v"
      ? compareVersions(name(a), name(b))
      : last === "X"
      ? compareStrings(extension(a), extension(b))
      : 0
    return stands || compareStrings(name(a), name(b))
  })
  if (io.has("r")) items.reverse()
  if (io.has("group-directories-first")) items.sort((a, b) => Number(b.stat.type === 3) - Number(a.stat.type === 3))
}

const mark = (io: UtilityIo, item: Item): string => {
  const { mode, type } = item.stat
  if (type === 3) return io.has("F") || io.has("p") ? "/" : ""
  if (!io.has("F")) return ""
  return type === 7 ? (isLong(io) ? "" : "@") : type === 4 && (mode & 0o111) !== 0 ? "*" : ""
}

const show = (io: UtilityIo, items: ReadonlyArray<Item>): void => {
  const quote = (name: string): string => io.has("Q") ? JSON.stringify(name) : name
  const left = items.map((item) => [
    ...(io.has("i") ? [`${item.stat.inode}`] : []),
    ...(io.has("s") ? [io.has("h") ? formatSize(blocksOf(item.stat) * 1024) : `${blocksOf(item.stat)}`] : []),
  ])
  if (!isLong(io)) {
    const across = io.has("m") ? ", " : "\n"
    const widths = columnWidths(left)
    const lines = items.map((item, row) =>
      [...(left[row] ?? []).map((cell, at) => cell.padStart(widths[at] ?? 0)), quote(item.name) + mark(io, item)].join(
        " ",
      )
    )
    if (lines.length > 0) io.out.putText(`${lines.join(across)}\n`)
    return
  }
  const { group, user } = ownerOf(io.system.env, io.has("n"))
  const now = io.system.now()
  const rows = items.map((item, row) => {
    const { stat } = item
    const when = io.has("u") ? stat.accessed : io.has("c") ? stat.changed : stat.modified
    return {
      cells: [
        ...(left[row] ?? []),
        formatMode(stat),
        `${stat.links}`,
        ...(io.has("g") ? [] : [user]),
        ...(io.has("o") || io.has("G") ? [] : [group]),
        io.has("h") ? formatSize(stat.size) : `${stat.size}`,
        timeOf(io, when, now),
      ],
      item,
    }
  })
  const widths = columnWidths(rows.map(({ cells }) => cells))
  const textual = new Set([user, group])
  for (const { cells, item } of rows) {
    const line = cells.map((cell, at) =>
      textual.has(cell) ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)
    ).join(" ")
    const target = item.stat.type === 7 ? io.system.readlink(item.path) : undefined
    io.out.putText(
      `${line} ${quote(item.name)}${mark(io, item)}${typeof target === "string" ? ` -> ${quote(target)}` : ""}\n`,
    )
  }
}

const columnWidths = (rows: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<number> => {
  const widths: Array<number> = []
  for (const row of rows) row.forEach((cell, at) => widths[at] = Math.max(widths[at] ?? 0, cell.length))
  return widths
}

const halfYear = 15_778_476_000_000_000n

const timeOf = (io: UtilityIo, when: bigint, now: bigint): string => {
  const style = io.has("full-time") ? "full-iso" : io.value("time-style") ?? ""
  const recent = when <= now && when > now - halfYear
  const format = style === "full-iso"
    ? "%Y-%m-%d %H:%M:%S.%N %z"
    : style === "long-iso"
    ? "%Y-%m-%d %H:%M"
    : style === "iso"
    ? (recent ? "%m-%d %H:%M" : "%Y-%m-%d ")
    : style[0] === "+"
    ? style.slice(1)
    : recent
    ? "%b %e %H:%M"
    : "%b %e  %Y"
  return formatTime(format, when, io.system.env.get("TZ"))
}
