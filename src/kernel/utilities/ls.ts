/** Implements the `ls` utility. */
import { escapeByte } from "../escapeByte.ts"
import { runCoroutine, yieldNow } from "../Coroutine.ts"
import { errnoText } from "../Errno.ts"
import { FileType, type Stat } from "../Stat.ts"
import type { Program } from "../System.ts"
import { compareStrings, textToBinary } from "../binaryString.ts"
import { compileGlob } from "./shared/compileGlob.ts"
import { sortInSteps } from "../sortInSteps.ts"
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

/** `ls [-aAb1CdFghilnopqrRsStTuUvX] [FILE]...`: lists directories, one name per line. Source: ls(1). */
export const ls: Program = defineUtility(
  "ls",
  "a|all A|almost-all 1 C x m l format: w|width: I|ignore: hide: B|ignore-backups R|recursive d|directory t r|reverse S h|human-readable F|classify:: i|inode " +
    "n|numeric-uid-gid g o G|no-group p s|size u c U f v X L|dereference H N Q|quote-name b|escape " +
    "color:: time-style: full-time sort: group-directories-first",
  async (io) => {
    const { system } = io
    if (io.value("color") === "always") io.fail("--color=always is not supported")
    const layout = layoutOf(io)
    const hides = makeFilter(io)
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
    await printItems(io, await sortItems(io, files), layout)
    let first = files.length === 0
    const titles = paths.length > 1 || io.has("R")
    const list = async (path: string, depth: number): Promise<void> => {
      if (titles) io.print(`${first ? "" : "\n"}${path}:\n`)
      first = false
      const entries = system.list(path)
      if (typeof entries === "number") return warnOpen(io, path, entries)
      const found: Array<Item> = []
      const all = io.has("a") || io.has("f")
      for (const name of [...(all ? [".", ".."] : []), ...entries.map((entry) => entry.name)]) {
        if ((name[0] === "." && !all && !io.has("A")) || hides(name)) continue
        const stat = system.stat(joinPath(path, name), { follow: io.has("L") })
        const link = typeof stat === "number" ? system.stat(joinPath(path, name), { follow: false }) : stat
        if (typeof link === "number") warnOpen(io, joinPath(path, name), link)
        else found.push({ name, key: textToBinary(name), path: joinPath(path, name), stat: link })
        const turn = yieldNow(system)
        if (turn !== undefined) await turn
      }
      const items = await sortItems(io, found)
      if (isLong(io) || io.has("s")) {
        const blocks = items.reduce((sum, { stat }) => sum + blocksOf(stat), 0)
        io.print(`total ${io.has("h") ? formatSize(blocks * 1024) : Math.ceil(blocks)}\n`)
      }
      await printItems(io, items, layout)
      await io.flushAndYield()
      if (!io.has("R") || depth > 512) return
      for (const item of items) {
        if (item.stat.type === FileType.directory && item.name !== "." && item.name !== "..") {
          await list(item.path, depth + 1)
        }
      }
    }
    for (const directory of await sortItems(io, directories)) await list(directory.path, 0)
  },
  { errorExitCode: 2, withoutEffect: { "k|kibibytes": "blocks are of 1024 bytes" } },
)

const isLong = (io: UtilityIo): boolean => ["l", "n", "g", "o", "full-time"].some((name) => io.has(name))

const warnOpen = (io: UtilityIo, path: string, errno: number): void => {
  io.printError(`cannot open directory '${path}': ${errnoText(errno)}`)
  io.exitCode = Math.max(io.exitCode, 1)
}

const blocksOf = (stat: Stat): number => diskSpace(stat) / 1024

const sortItems = async (io: UtilityIo, items: Array<Item>): Promise<Array<Item>> => {
  const by = io.value("sort")
  if (io.has("U") || io.has("f") || by === "none") return items
  const last = io.lastOf("t", "S", "v", "X")?.[0] ??
    ({ extension: "X", size: "S", time: "t", version: "v" }[by ?? ""] ??
      ((io.has("u") || io.has("c")) && !isLong(io) ? "t" : ""))
  const extension = (item: Item): string => /\.[^.]*$/.exec(item.key)?.[0] ?? ""
  let sorted = await runCoroutine(
    io.system,
    sortInSteps(items, (a, b) => {
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
    }),
  )
  if (io.has("r")) sorted.reverse()
  if (io.has("group-directories-first")) {
    const isFile = ({ stat }: Item): number => stat.type === FileType.directory ? 0 : 1
    sorted = await runCoroutine(io.system, sortInSteps(sorted, (a, b) => isFile(a) - isFile(b)))
  }
  return sorted
}

const timeOf = (io: UtilityIo, stat: Stat): bigint =>
  io.has("u") ? stat.accessed : io.has("c") ? stat.changed : stat.modified

/** The mark after a name that shows the type of the file. */
const typeMark = (io: UtilityIo, item: Item): string => {
  const { mode, type } = item.stat
  if (type === FileType.directory) return io.has("F") || io.has("p") ? "/" : ""
  if (!io.has("F")) return ""
  if (type === FileType.symbolicLink) return isLong(io) ? "" : "@"
  if (type === FileType.unknown) return "|"
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

/** A name as `-b` shows it: spaces and control characters are escaped as in C. */
const escapeName = (name: string): string =>
  name.replace(/[\0-\x20\x7f\\]/g, (letter) => letter === " " ? "\\ " : escapeByte(letter))

const printItems = async (io: UtilityIo, items: ReadonlyArray<Item>, layout: Layout): Promise<void> => {
  const style = io.lastOf("Q", "b", "N")?.[0]
  const quote = (name: string): string => style === "Q" ? JSON.stringify(name) : style === "b" ? escapeName(name) : name
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
  if (lines.length === 0) return
  if (layout.style === "m") io.print(`${joinByCommas(lines, layout.width)}\n`)
  else if (layout.style === "1") io.print(`${lines.join("\n")}\n`)
  else io.print(await formatColumns(lines, layout, () => yieldNow(io.system)))
}

interface Layout {
  /** The layout: one name per line, columns from top to bottom or from left to right, or separated by commas. */
  readonly style: "1" | "C" | "x" | "m"
  readonly width: number
}

const formats: Readonly<Record<string, Layout["style"]>> = {
  ...{ across: "x", horizontal: "x", commas: "m", "single-column": "1", vertical: "C", 1: "1", C: "C", x: "x", m: "m" },
}

const layoutOf = (io: UtilityIo): Layout => {
  const [option = "1", value = ""] = io.lastOf("1", "C", "x", "m", "format") ?? []
  const name = option === "format" ? value : option
  const style = formats[name] ?? io.fail(`invalid argument ‘${name}’ for ‘--format’`)
  const width = io.count(
    "w",
    Number(io.system.env.get("COLUMNS") ?? "80") || 80,
    (text) => `invalid line width: ‘${text}’`,
  )
  return { style: isLong(io) ? "1" : style, width: width === 0 ? Infinity : width }
}

/** Whether `-I`, `--hide` or `-B` leave a name out. */
const makeFilter = (io: UtilityIo): (name: string) => boolean => {
  const ignored = [...io.values("I"), ...(io.has("B") ? ["*~", ".*~"] : [])]
  const hidden = io.has("a") || io.has("A") || io.has("f") ? [] : io.values("hide")
  const tests = [...ignored, ...hidden].map((pattern) => compileGlob(pattern))
  return (name) => tests.some((test) => test(name))
}

const joinByCommas = (cells: ReadonlyArray<string>, width: number): string => {
  let out = ""
  let at = 0
  for (const [index, cell] of cells.entries()) {
    if (index > 0) {
      const fits = at + cell.length + 2 < width
      at = fits ? at + 2 : 0
      out += fits ? ", " : ",\n"
    }
    out += cell
    at += cell.length
  }
  return out
}

const tabSize = 8
const minColumnWidth = 3

const indent = (from: number, to: number): string => {
  let out = ""
  for (let at = from; at < to;) {
    const usesTab = Math.floor(to / tabSize) > Math.floor((at + 1) / tabSize)
    out += usesTab ? "\t" : " "
    at += usesTab ? tabSize - at % tabSize : 1
  }
  return out
}

/** Fills as many columns as fit, each as wide as its longest cell. */
const formatColumns = async (
  cells: ReadonlyArray<string>,
  { style, width }: Layout,
  pause: () => Promise<void> | void,
): Promise<string> => {
  const lengths = cells.map((cell) => Array.from(cell).length)
  const maxColumns = Math.max(1, Math.min(cells.length, Math.floor(Math.min(width, 10_000) / minColumnWidth)))
  let widths: ReadonlyArray<number> = []
  for (let columns = maxColumns; columns > 0; columns--) {
    const rows = Math.ceil(cells.length / columns)
    const found = new Array<number>(columns).fill(minColumnWidth)
    lengths.forEach((length, index) => {
      const column = style === "C" ? Math.floor(index / rows) : index % columns
      found[column] = Math.max(found[column] ?? 0, length + (column === columns - 1 ? 0 : 2))
    })
    widths = found
    if (found.reduce((sum, each) => sum + each, 0) < width) break
    await pause()
  }
  const columns = widths.length
  const rows = Math.ceil(cells.length / columns)
  let out = ""
  for (let row = 0; row < rows; row++) {
    let [at, to] = [0, 0]
    for (let column = 0; column < columns; column++) {
      const index = style === "C" ? column * rows + row : row * columns + column
      const cell = cells[index]
      if (cell === undefined) break
      out += indent(at, to) + cell
      at = to + (lengths[index] ?? 0)
      to += widths[column] ?? 0
    }
    out += "\n"
  }
  return out
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
