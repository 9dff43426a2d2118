/** Implements the batch mode of the `top` utility, which lists the processes of the sandbox by their use of the processor. */
import { compareStrings } from "../../binaryString.ts"
import type { Program } from "../../System.ts"
import { defineUtility, type UtilityIo } from "../shared/defineUtility.ts"
import { parseSeconds } from "../shared/quantities.ts"
import { memoryOf } from "./free.ts"
import { processTable, type TableRow } from "./processTable.ts"
import { cpuPercent } from "./psColumns.ts"
import { formatUptime } from "./uptime.ts"

interface Row extends TableRow {
  readonly percent: number
}

type Order = (a: Row, b: Row) => number

/** Fields by which `-o` sorts, in descending order. */
const orders: ReadonlyMap<string, Order> = new Map<string, Order>([
  ["%CPU", (a, b) => b.percent - a.percent],
  ["%MEM", () => 0],
  ["COMMAND", (a, b) => compareStrings(b.command, a.command)],
  ["PID", (a, b) => b.process.pid - a.process.pid],
  ["TIME+", (a, b) => Number(b.process.cpuTime - a.process.cpuTime)],
  ["USER", (a, b) => compareStrings(b.user, a.user)],
])

/** `top -b [-c] [-d SECONDS] [-n COUNT] [-o FIELD] [-p PIDS] [-w WIDTH]`: lists processes. Source: top(1) of procps-ng. */
export const top: Program = defineUtility(
  "top",
  "b|batch c|cmdline-toggle d|delay: n|iterations: o|sort-override: p|pid: w|width:",
  async (io) => {
    if (!io.has("b")) return io.fail("failed tty get: there is no terminal, use top -b")
    const count = io.count("n", Infinity, (text) => `bad iterations argument '${text}'`)
    if (count < 1) return io.fail("bad iterations argument '0'")
    const delay = io.value("d") ?? "3"
    const seconds = parseSeconds(delay) ?? io.fail(`bad delay interval '${delay}'`)
    const field = io.value("o") ?? "%CPU"
    const order = orders.get(field.replace(/^[-+]/, "")) ?? io.fail(`unrecognized field name '${field}'`)
    const width = io.count("w", 80, (text) => `bad width arg '${text}'`)
    let before = new Map<number, bigint>()
    for (let frame = 0; frame < count; frame++) {
      if (frame > 0) {
        await io.flushAndYield()
        await io.system.sleep(Math.min(seconds * 1000, 1e9))
        io.print("\n")
      }
      const rows = readRows(io, before, seconds)
      before = new Map(rows.map(({ process }) => [process.pid, process.cpuTime]))
      printSummary(io, rows)
      io.print("    PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND\n")
      const sorted = [...rows].sort(field.startsWith("-") ? (a, b) => order(b, a) : order)
      for (const row of sorted) io.print(`${formatRow(row, io.has("c"), width)}\n`)
    }
    return 0
  },
  { maxOperands: 0 },
)

/** The processes; what they have used of the processor is that since the frame before, or since their start. */
const readRows = (io: UtilityIo, before: ReadonlyMap<number, bigint>, seconds: number): ReadonlyArray<Row> => {
  const pids = io.values("p").flatMap((list) => list.split(",")).map((text) =>
    /^[0-9]+$/.test(text) ? Number(text) : io.fail(`bad pid '${text}'`)
  )
  return processTable(io.system).filter(({ process }) => pids.length === 0 || pids.includes(process.pid)).map((row) => {
    const used = before.get(row.process.pid)
    const percent = used === undefined || seconds === 0
      ? cpuPercent(row)
      : Math.min(99.9, Number(row.process.cpuTime - used) / 1e7 / seconds)
    return { ...row, percent }
  })
}

const printSummary = (io: UtilityIo, rows: ReadonlyArray<Row>): void => {
  const inState = (state: string): string => `${rows.filter((row) => row.state === state).length}`.padStart(3)
  const busy = Math.min(100, rows.reduce((sum, { percent }) => sum + percent, 0))
  const mib = (bytes: number): string => (bytes / 1024 ** 2).toFixed(1).padStart(9)
  const { total, used } = memoryOf(io.system)
  const left = Math.max(0, total - used)
  io.print(`top -${formatUptime(io)}\n`)
  io.print(`Tasks: ${`${rows.length}`.padStart(3)} total, ${inState("R")} running, ${inState("S")} sleeping, `)
  io.print(`  0 stopped, ${inState("Z")} zombie\n`)
  const [user, idle] = [busy, 100 - busy].map((percent) => percent.toFixed(1).padStart(5))
  io.print(`%Cpu(s):${user} us,  0.0 sy,  0.0 ni,${idle} id,  0.0 wa,  0.0 hi,  0.0 si,  0.0 st \n`)
  io.print(`MiB Mem :${mib(total)} total,${mib(left)} free,${mib(used)} used,${mib(0)} buff/cache     \n`)
  io.print(`MiB Swap:${mib(0)} total,${mib(0)} free,${mib(0)} used.${mib(left)} avail Mem \n\n`)
}

const formatRow = (row: Row, showsArguments: boolean, width: number): string => {
  const hundredths = Number(row.process.cpuTime / 10_000_000n)
  const [minutes, seconds] = [Math.floor(hundredths / 6_000), (hundredths % 6_000 / 100).toFixed(2).padStart(5, "0")]
  const user = row.user.length > 8 ? `${row.user.slice(0, 7)}+` : row.user.padEnd(8)
  const use = `${row.percent.toFixed(1).padStart(5)}   0.0 ${`${minutes}:${seconds}`.padStart(9)}`
  // The kernel does not know the memory of a program.
  const start = `${`${row.process.pid}`.padStart(7)} ${user}  20   0       0      0      0 ${row.state} ${use} `
  const command = showsArguments ? row.commandLine : row.command
  const room = width - start.length
  return start + (command.length > room ? `${command.slice(0, Math.max(0, room - 1))}+` : command)
}
