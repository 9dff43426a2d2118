/** Implements the `column` utility. */
import { binaryToText } from "../../binaryString.ts"
import type { Program } from "../../System.ts"
import { maxHeldBytes } from "../shared/Input.ts"
import { defineUtility, type UtilityIo } from "../shared/defineUtility.ts"

const maxWidth = 100_000

/**
 * `column [-tx] [-s SEPARATORS] [-o SEPARATOR] [-N NAMES] [-R COLUMNS] [-c WIDTH] [FILE]...`: fills columns, or aligns a
 * table. Source: column(1).
 */
export const column: Program = defineUtility(
  "column",
  "t|table s|separator: o|output-separator: N|table-columns: R|table-right: H|table-hide: c|output-width: x|fillrows " +
    "L|keep-empty-lines J|json n|table-name:",
  async (io) => {
    const lines: Array<string> = []
    let held = 0
    await io.forEachLine(io.inputs(), (line) => {
      const isBlank = line.trim() === ""
      if (isBlank && !(io.has("L") && io.has("t"))) return
      held += line.length + 32
      if (held > maxHeldBytes) io.fail(`more than ${maxHeldBytes} bytes would have to be held`)
      lines.push(binaryToText(line))
    })
    if (io.has("J") || io.has("n")) io.fail("--json is not supported")
    if (io.has("t")) await printTable(io, lines)
    else await fillColumns(io, lines)
  },
)

/** Columns that an option names, by number or by a name of -N. */
const columnsOf = (io: UtilityIo, option: string, names: ReadonlyArray<string>): ReadonlySet<number> =>
  new Set(
    (io.value(option) ?? "").split(",").filter((name) => name !== "").map((name) => {
      const found = /^[0-9]+$/.test(name) ? Number(name) - 1 : names.indexOf(name)
      return found >= 0 ? found : io.fail(`undefined column name '${name}'`)
    }),
  )

const printTable = async (io: UtilityIo, lines: ReadonlyArray<string>): Promise<void> => {
  const separators = io.value("s")
  const split = (line: string): ReadonlyArray<string> => {
    if (separators === undefined) return line.trim().split(/[ \t]+/)
    const cells: Array<string> = []
    let from = 0
    for (let at = 0; at < line.length; at++) {
      if (!separators.includes(line[at] ?? "")) continue
      cells.push(line.slice(from, at))
      from = at + 1
    }
    return [...cells, line.slice(from)]
  }
  const names = io.value("N")?.split(",") ?? []
  const rows = [...(names.length > 0 ? [names] : []), ...lines.map(split)]
  const [right, hidden] = [columnsOf(io, "R", names), columnsOf(io, "H", names)]
  const widths: Array<number> = []
  for (const row of rows) row.forEach((cell, at) => widths[at] = Math.max(widths[at] ?? 0, [...cell].length))
  const separator = io.value("o") ?? "  "
  const shown = widths.map((_, at) => at).filter((at) => !hidden.has(at))
  for (const row of rows) {
    const cells = shown.map((column, place) => {
      const cell = row[column] ?? ""
      const padding = " ".repeat((widths[column] ?? 0) - [...cell].length)
      if (right.has(column)) return padding + cell
      return place === shown.length - 1 ? cell : cell + padding
    })
    io.print(`${cells.join(separator)}\n`)
    if (io.out.isFull) await io.out.flush()
  }
}

const fillColumns = async (io: UtilityIo, cells: ReadonlyArray<string>): Promise<void> => {
  const width = io.count(
    "c",
    Number(io.system.env.get("COLUMNS") ?? "80") || 80,
    (text) => `invalid columns argument: '${text}'`,
  )
  if (width > maxWidth) io.fail(`columns argument is above ${maxWidth}`)
  const maxLength = cells.reduce((length, cell) => Math.max(length, Array.from(cell).length), 0)
  // Columns are as wide as tabs allow.
  const columnWidth = (Math.floor(maxLength / 8) + 1) * 8
  const columns = Math.max(1, Math.floor(width / columnWidth))
  const rows = Math.ceil(cells.length / columns)
  const isByRow = io.has("x")
  if (maxLength >= width) {
    for (const cell of cells) io.print(`${cell}\n`)
    return
  }
  for (let row = 0; row < rows; row++) {
    let line = ""
    const count = isByRow ? columns : Math.ceil(cells.length / rows)
    for (let at = 0; at < count; at++) {
      const cell = cells[isByRow ? row * columns + at : at * rows + row]
      if (cell === undefined) break
      const hasNext = at < count - 1 && cells[isByRow ? row * columns + at + 1 : (at + 1) * rows + row] !== undefined
      line += cell
      for (let end = [...cell].length; hasNext && end < columnWidth; end = (Math.floor(end / 8) + 1) * 8) line += "\t"
    }
    io.print(`${line}\n`)
    if (io.out.isFull) await io.out.flush()
  }
}
