/** Implements the `ps` utility, which lists the processes of the sandbox. */
import type { Program } from "../../System.ts"
import { compareStrings } from "../../binaryString.ts"
import { defineUtility, type UtilityIo } from "../shared/defineUtility.ts"
import { processTable, type TableRow } from "./processTable.ts"
import { cpuPercent, type PsColumn, psColumns, psFormats } from "./psColumns.ts"

const withValue = new Set(["-o", "-O", "-p", "-C", "-u", "-U", "-g", "--sort", "--format", "--pid", "--ppid", "--user"])

/** Letters of the BSD form that this utility has: `ps aux`. Letters of access and width change nothing here. */
const bsdLetters = /^[auxwefhj]+$/

/** Rewrites `ps aux` and `ps 12` to options. */
const rewriteArgs = (args: ReadonlyArray<string>): ReadonlyArray<string> =>
  args.flatMap((arg, at) => {
    if (arg.startsWith("-") || withValue.has(args[at - 1] ?? "")) return [arg]
    if (/^[0-9]+(,[0-9]+)*$/.test(arg)) return ["-p", arg]
    const format = /^([auxwefh]*)o$/.exec(arg)
    if (format !== null) return [...(format[1] === "" ? [] : ["--bsd", format[1] ?? ""]), "-o"]
    return bsdLetters.test(arg) ? ["--bsd", arg] : [arg]
  })

/**
 * `ps [-AefjH] [aux] [-o COLUMNS] [-p PIDS] [-C NAMES] [--ppid PIDS] [--sort KEYS] [--no-headers]`: lists the processes of the
 * sandbox. Source: ps(1) of procps-ng.
 */
export const ps: Program = defineUtility(
  "ps",
  "A e a d N|deselect f j o|format: O: p|pid: q|quick-pid: C: u|user: U|User: ppid: sort: h|no-headers|no-heading bsd:",
  async (io) => {
    if (io.operands.length > 0) return io.fail(`unsupported option: ${io.operands[0] ?? ""}`)
    if (io.has("O")) return io.fail("-O is not supported: use -o")
    const columns = columnsOf(io)
    const rows = sortRows(io, select(io, processTable(io.system)))
    const context = { zone: io.zone, now: io.system.now() }
    const showsTitles = !io.has("h") && !bsdOf(io).includes("h") && columns.some(({ title }) => title !== "")
    if (showsTitles) io.print(`${formatRow(columns, columns.map(({ title }) => title))}\n`)
    for (const row of rows) {
      io.print(`${formatRow(columns, columns.map(({ value }) => value(row, context)))}\n`)
      if (io.out.isFull) await io.out.flush()
    }
    return rows.length === 0 ? 1 : 0
  },
  {
    rewriteArgs,
    withoutEffect: { x: "no process has a terminal, and all are listed", w: "the last column is never cut" },
  },
)

const bsdOf = (io: UtilityIo): string => io.values("bsd").join("")

const columnsOf = (io: UtilityIo): ReadonlyArray<PsColumn> => {
  const given = io.values("o").flatMap((list) => {
    // A title may have spaces: `-o pid,comm=NAME OF IT`.
    const names = list.split(list.includes("=") ? "," : /[ ,]+/).filter((name) => name !== "")
    if (names.length === 0) return io.fail("improper list")
    return names.map((text): PsColumn => {
      const [name = "", title] = text.split(/=(.*)/s)
      const found = psColumns.get(name.trim().toLowerCase()) ??
        io.fail(`unknown user-defined format specifier "${name}"`)
      return title === undefined ? found : { ...found, title, width: Math.max(found.width, title.length) }
    })
  })
  if (given.length > 0) return given
  const bsd = bsdOf(io)
  if (io.has("f")) return psFormats.full
  if (io.has("j")) return psFormats.jobs
  if (bsd.includes("u")) return psFormats.user
  return bsd === "" || bsd === "h" ? psFormats.plain : psFormats.bsd
}

const formatRow = (columns: ReadonlyArray<PsColumn>, cells: ReadonlyArray<string>): string =>
  columns.map(({ align, width }, at) => {
    const cell = cells[at] ?? ""
    const isLast = at === columns.length - 1
    if (align === "right") return cell.padStart(width)
    return isLast ? cell : (cell.length > width ? cell.slice(0, width) : cell).padEnd(width)
  }).join(" ")

const numbersOf = (io: UtilityIo, option: string): ReadonlyArray<number> =>
  io.values(option).flatMap((list) => list.split(/[ ,]+/)).filter((text) => text !== "").map((text) =>
    /^[0-9]+$/.test(text) ? Number(text) : io.fail("process ID list syntax error")
  )

/** Without a selection all processes are listed: they have one user and no terminal. */
const select = (io: UtilityIo, rows: ReadonlyArray<TableRow>): ReadonlyArray<TableRow> => {
  const pids = new Set([...numbersOf(io, "p"), ...numbersOf(io, "q")])
  const parents = new Set(numbersOf(io, "ppid"))
  const names = new Set(io.values("C").flatMap((list) => list.split(",")))
  const users = new Set([...io.values("u"), ...io.values("U")].flatMap((list) => list.split(",")))
  const selects = ["p", "q", "ppid", "C", "u", "U"].some((option) => io.has(option))
  const all = io.has("A") || io.has("e") || io.has("a") || io.has("d")
  if (!selects && io.has("N")) return []
  return rows.filter(({ command, process, user }) => {
    if (!selects || all) return true
    const is = pids.has(process.pid) || parents.has(process.parent) || names.has(command) || users.has(user) ||
      users.has("0")
    return is !== io.has("N")
  })
}

const sortRows = (io: UtilityIo, rows: ReadonlyArray<TableRow>): ReadonlyArray<TableRow> => {
  const keys = io.values("sort").flatMap((list) => list.split(",")).map((key) => {
    const name = key.replace(/^[-+]/, "").toLowerCase()
    const column = psColumns.get(name) ?? io.fail(`unknown sort specifier "${name}"`)
    return { column, name, sign: key.startsWith("-") ? -1 : 1 }
  })
  const context = { zone: "UTC", now: io.system.now() }
  const numeric = (name: string, column: PsColumn, row: TableRow): number =>
    /^(%cpu|pcpu|c)$/.test(name)
      ? cpuPercent(row)
      : /^(time|cputime)$/.test(name)
      ? Number(row.process.cpuTime)
      : /^(start_time|stime|start|lstart)$/.test(name)
      ? Number(row.process.started)
      : /^etime$/.test(name)
      ? row.elapsedSeconds
      : Number(column.value(row, context))
  return keys.length === 0 ? rows : [...rows].sort((a, b) => {
    for (const { column, name, sign } of keys) {
      const [one, two] = [numeric(name, column, a), numeric(name, column, b)]
      const order = Number.isNaN(one) || Number.isNaN(two)
        ? compareStrings(column.value(a, context), column.value(b, context))
        : one - two
      if (order !== 0) return order * sign
    }
    return a.process.pid - b.process.pid
  })
}
