/** Defines the columns of `ps`: their titles, widths and values. Source: ps(1) "STANDARD FORMAT SPECIFIERS". */
import { strftime } from "../../strftime.ts"
import { formatElapsed, type TableRow } from "./processTable.ts"

/** Context of the columns beside the process. */
export interface PsContext {
  readonly zone: string | undefined
  readonly now: bigint
}

export interface PsColumn {
  readonly title: string
  readonly width: number
  readonly align: "left" | "right"
  readonly value: (row: TableRow, context: PsContext) => string
}

const column = (title: string, width: number, value: PsColumn["value"]): PsColumn => ({
  title,
  width: Math.abs(width),
  align: width < 0 ? "left" : "right",
  value,
})

/** The share of the processor since the start, in percent. */
export const cpuPercent = ({ elapsedSeconds, process }: TableRow): number =>
  elapsedSeconds === 0 ? 0 : Math.min(99.9, Number(process.cpuTime) / 1e7 / elapsedSeconds)

const startTime: PsColumn["value"] = ({ elapsedSeconds, process }, { zone }) =>
  strftime(elapsedSeconds < 86_400 ? "%H:%M" : "%b%d", process.started, zone)

const stat: PsColumn["value"] = ({ process, state }) => state + (process.pid === process.job ? "s" : "")

const shortTime: PsColumn["value"] = ({ cpuSeconds }) =>
  `${Math.floor(cpuSeconds / 60)}:${String(cpuSeconds % 60).padStart(2, "0")}`

// The kernel has one user, no terminals, no priorities and one thread a process; it does not know the memory of a program.
const distinct = {
  "%cpu": column("%CPU", 4, (row) => cpuPercent(row).toFixed(1)),
  "%mem": column("%MEM", 4, () => "0.0"),
  args: column("COMMAND", -27, ({ commandLine }) => commandLine),
  bsdtime: column("TIME", 6, shortTime),
  c: column("C", 2, (row) => `${Math.floor(cpuPercent(row))}`),
  cmd: column("CMD", -27, ({ commandLine }) => commandLine),
  comm: column("COMMAND", -15, ({ title }) => title),
  etime: column("ELAPSED", 11, ({ elapsedSeconds }) => formatElapsed(elapsedSeconds, "needed")),
  etimes: column("ELAPSED", 7, ({ elapsedSeconds }) => `${elapsedSeconds}`),
  group: column("GROUP", -8, ({ user }) => user),
  lstart: column("STARTED", 24, ({ process }, { zone }) => strftime("%a %b %e %H:%M:%S %Y", process.started, zone)),
  ni: column("NI", 3, () => "0"),
  nlwp: column("NLWP", 4, () => "1"),
  pgid: column("PGID", 7, ({ process }) => `${process.group}`),
  pid: column("PID", 7, ({ process }) => `${process.pid}`),
  ppid: column("PPID", 7, ({ process }) => `${process.parent}`),
  pri: column("PRI", 3, () => "19"),
  rss: column("RSS", 5, () => "0"),
  s: column("S", -1, ({ state }) => state),
  sid: column("SID", 7, ({ process }) => `${process.job}`),
  start: column("STARTED", 8, ({ process }, { zone }) => strftime("%H:%M:%S", process.started, zone)),
  start_time: column("START", -5, startTime),
  stat: column("STAT", -4, stat),
  stime: column("STIME", -5, startTime),
  time: column("TIME", 8, ({ cpuSeconds }) => formatElapsed(cpuSeconds, "always")),
  tt: column("TT", -8, () => "?"),
  tty: column("TTY", -8, () => "?"),
  ucmd: column("CMD", -15, ({ title }) => title),
  uid: column("UID", 5, () => "0"),
  uidname: column("UID", -8, ({ user }) => user),
  user: column("USER", -8, ({ user }) => user),
  vsz: column("VSZ", 6, () => "0"),
} satisfies Readonly<Record<string, PsColumn>>

const { args, group, pgid, sid, s, time, tt, uid, user, vsz } = distinct

/** Columns by each of their names. */
export const psColumns: ReadonlyMap<string, PsColumn> = new Map<string, PsColumn>([
  ...Object.entries(distinct).filter(([name]) => !["bsdtime", "uidname"].includes(name)),
  ["command", args],
  ["cputime", time],
  ["egroup", group],
  ["euid", uid],
  ["euser", user],
  ["nice", distinct.ni],
  ["pcpu", distinct["%cpu"]],
  ["pgrp", pgid],
  ["pmem", distinct["%mem"]],
  ["rssize", distinct.rss],
  ["rsz", distinct.rss],
  ["ruser", user],
  ["sess", { ...sid, title: "SESS" }],
  ["session", { ...sid, title: "SESS" }],
  ["state", s],
  ["thcount", { ...distinct.nlwp, title: "THCNT" }],
  ["tname", { ...tt, title: "TTY" }],
  ["tty", tt],
  ["ucomm", distinct.comm],
  ["uname", user],
  ["vsize", vsz],
])

const pick = (...names: ReadonlyArray<keyof typeof distinct>): ReadonlyArray<PsColumn> =>
  names.map((name) => distinct[name])

/** Columns of the option that names each: none, -f, -j, x and aux. */
export const psFormats: Readonly<Record<"plain" | "full" | "jobs" | "bsd" | "user", ReadonlyArray<PsColumn>>> = {
  plain: pick("pid", "tty", "time", "ucmd"),
  full: pick("uidname", "pid", "ppid", "c", "stime", "tty", "time", "cmd"),
  jobs: pick("pid", "pgid", "sid", "tty", "time", "ucmd"),
  bsd: pick("pid", "tty", "stat", "bsdtime", "args"),
  user: pick("user", "pid", "%cpu", "%mem", "vsz", "rss", "tty", "stat", "start_time", "bsdtime", "args"),
}
