/** Implements the `df` utility, which shows the space of the mounted volumes. */
import type { VolumeUsage } from "../../FileSystem.ts"
import type { Program } from "../../System.ts"
import { defineUtility, type UtilityIo } from "../shared/defineUtility.ts"
import { resolvePath } from "../shared/paths.ts"
import { formatSize, parseSize } from "../shared/quantities.ts"

/** Format of sizes, and titles of their columns. */
interface SizeFormat {
  readonly format: (bytes: number) => string
  readonly titles: readonly [size: string, available: string, percent: string]
}

interface Column {
  readonly title: string
  readonly minWidth: number
  readonly align: "left" | "right"
  readonly value: (usage: VolumeUsage) => string
}

/**
 * `df [-aHhikPTl] [-B SIZE] [-t TYPE] [-x TYPE] [--total] [--output[=FIELDS]] [FILE]...`: shows the space of volumes. Source:
 * df(1).
 */
export const df: Program = defineUtility(
  "df",
  "a|all B|block-size: h|human-readable H|si i|inodes k m P|portability T|print-type t|type: x|exclude-type: total " +
    "output::",
  (io) => {
    const volumes = io.operands.length > 0 ? volumesOf(io) : listed(io)
    if (volumes.length === 0) {
      if (io.exitCode === 0) io.fail("no file systems processed")
      return io.exitCode
    }
    const rows = io.has("total") ? [...volumes, totalOf(volumes)] : volumes
    const columns = columnsOf(io)
    const cells = [columns.map(({ title }) => title), ...rows.map((row) => columns.map(({ value }) => value(row)))]
    const widths = columns.map(({ minWidth }, at) =>
      cells.reduce((width, row) => Math.max(width, row[at]?.length ?? 0), minWidth)
    )
    for (const row of cells) {
      const line = row.map((cell, at) => {
        const width = at === row.length - 1 && columns[at]?.align === "left" ? 0 : widths[at] ?? 0
        return columns[at]?.align === "right" ? cell.padStart(width) : cell.padEnd(width)
      })
      io.print(`${line.join(" ")}\n`)
    }
    return io.exitCode
  },
  {
    withoutEffect: {
      "l|local": "all volumes are local",
      sync: "no disk is behind the volumes",
      "no-sync": "no disk is behind the volumes",
    },
  },
)

/** The volume of each operand: the one whose path is the longest above it. */
const volumesOf = (io: UtilityIo): ReadonlyArray<VolumeUsage> =>
  io.operands.flatMap((operand) => {
    const stat = io.system.stat(operand)
    const path = typeof stat === "number" ? stat : resolvePath(io.system, operand, "none")
    if (typeof path === "number") {
      io.warn(operand, path)
      return []
    }
    const above = io.system.volumes().filter((volume) =>
      path === volume.path || path.startsWith(volume.path === "/" ? "/" : `${volume.path}/`)
    )
    return above.sort((a, b) => b.path.length - a.path.length).slice(0, 1)
  })

/** All volumes; without -a those that have space of their own. */
const listed = (io: UtilityIo): ReadonlyArray<VolumeUsage> =>
  io.system.volumes().filter((volume) => {
    const { kind, maxBytes } = volume
    if (io.has("t") && !io.values("t").includes(kind) || io.values("x").includes(kind)) return false
    return maxBytes > 0 || io.has("a") || io.has("t")
  })

const totalOf = (volumes: ReadonlyArray<VolumeUsage>): VolumeUsage => {
  const sum = (of: (volume: VolumeUsage) => number) => volumes.reduce((total, volume) => total + of(volume), 0)
  return {
    path: "-",
    kind: "total",
    usedBytes: sum(({ usedBytes }) => usedBytes),
    maxBytes: sum(({ maxBytes }) => maxBytes),
    usedNames: sum(({ usedNames }) => usedNames),
    maxNames: sum(({ maxNames }) => maxNames),
  }
}

/** Formats a size in powers of 1000, as -H does. */
const formatSi = (bytes: number): string => {
  let [value, power] = [bytes, -1]
  while (value >= 1000 && power < 7) [value, power] = [value / 1000, power + 1]
  if (power < 0) return `${bytes}`
  const small = Math.ceil(value * 10) / 10
  return `${small < 10 ? small.toFixed(1) : Math.ceil(value)}${"kMGTPEZY"[power] ?? ""}`
}

const sizeFormat = (io: UtilityIo): SizeFormat => {
  const [last, value = ""] = io.lastOf("h", "H", "k", "m", "B") ?? []
  if (last === "h") return { format: formatSize, titles: ["Size", "Avail", "Use%"] }
  if (last === "H") return { format: formatSi, titles: ["Size", "Avail", "Use%"] }
  const text = last === "m" ? "M" : last === "B" ? value : "1024"
  // `-B M` writes the unit after each number; `-B 1M` does not.
  const suffix = /^[KMGTPE]$/i.test(text) ? text.toUpperCase() : ""
  const unit = parseSize(suffix === "" ? text : `1${text}`) || io.fail(`invalid -B argument '${text}'`)
  const shown = last === "m" ? "" : suffix
  const block = io.has("P") && unit === 1024 ? "1024" : formatSize(unit).replace(/\.0/, "") + (unit < 1024 ? "B" : "")
  return {
    format: (bytes) => `${Math.ceil(bytes / unit)}${shown}`,
    titles: [`${block}-blocks`, "Available", io.has("P") ? "Capacity" : "Use%"],
  }
}

const percent = (used: number, max: number): string =>
  max > 0 && max !== Infinity ? `${Math.ceil(used / max * 100)}%` : "-"

const right = (title: string, minWidth: number, value: Column["value"]): Column => ({
  title,
  minWidth,
  align: "right",
  value,
})

const left = (title: string, minWidth: number, value: Column["value"]): Column => ({
  title,
  minWidth,
  align: "left",
  value,
})

const columnsOf = (io: UtilityIo): ReadonlyArray<Column> => {
  const { format, titles: [size, available, percentTitle] } = sizeFormat(io)
  const amount = (bytes: number): string => bytes === Infinity ? "-" : format(bytes)
  const count = (names: number): string => names === Infinity ? "-" : `${names}`
  const fields: Readonly<Record<string, Column>> = {
    avail: right(available, 5, ({ maxBytes, usedBytes }) => amount(Math.max(0, maxBytes - usedBytes))),
    file: left("File", 4, () => io.operands[0] ?? "-"),
    fstype: left("Type", 4, ({ kind }) => kind === "total" ? "-" : kind),
    iavail: right("IFree", 5, ({ maxNames, usedNames }) => count(Math.max(0, maxNames - usedNames))),
    ipcent: right("IUse%", 5, ({ maxNames, usedNames }) => percent(usedNames, maxNames)),
    itotal: right("Inodes", 5, ({ maxNames }) => count(maxNames)),
    iused: right("IUsed", 5, ({ usedNames }) => count(usedNames)),
    pcent: right(percentTitle, 4, ({ maxBytes, usedBytes }) => percent(usedBytes, maxBytes)),
    size: right(size, 5, ({ maxBytes }) => amount(maxBytes)),
    source: left("Filesystem", 14, ({ kind }) => kind),
    target: left("Mounted on", 0, ({ path }) => path),
    used: right("Used", 5, ({ usedBytes }) => amount(usedBytes)),
  }
  const all = [
    "source",
    "fstype",
    "itotal",
    "iused",
    "iavail",
    "ipcent",
    "size",
    "used",
    "avail",
    "pcent",
    "file",
    "target",
  ]
  const given = io.values("output").flatMap((list) => list === "" ? all : list.split(","))
  if (io.has("output") && (io.has("i") || io.has("P") || io.has("T"))) {
    const other = ["i", "P", "T"].find((option) => io.has(option))
    return io.failUsage(`options -${other} and --output are mutually exclusive`)
  }
  const plain = io.has("i") ? ["itotal", "iused", "iavail", "ipcent"] : ["size", "used", "avail", "pcent"]
  const names = given.length > 0 ? given : ["source", ...(io.has("T") ? ["fstype"] : []), ...plain, "target"]
  return names.map((name) => fields[name] ?? io.failUsage(`option --output: field ‘${name}’ unknown`))
}
