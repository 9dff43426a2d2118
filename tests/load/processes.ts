/** Processes of this system, as proc(5) shows them; and those that a test starts. */
import * as Effect from "effect/Effect"
import { type ChildProcess, spawn } from "node:child_process"
import { readdirSync, readFileSync, readlinkSync } from "node:fs"

/** What stands in a file; nothing when it is gone. */
const textOf = (file: string): string => {
  try {
    return readFileSync(file, "utf8")
  } catch {
    // It has ended meanwhile.
    return ""
  }
}

const processes = (): ReadonlyArray<number> => readdirSync("/proc").filter((name) => /^\d+$/.test(name)).map(Number)

/** Its parent, as proc_pid_stat(5) has it; the name before it may hold anything. */
const parentOf = (pid: number): number => Number(textOf(`/proc/${pid}/stat`).replace(/^.*\) /s, "").split(" ")[1])

/** Open files of a process. */
export interface OpenFiles {
  readonly all: number
  /** TCP sockets: connections, and what listens. */
  readonly sockets: number
}

/** The inodes of TCP sockets, as proc_net(5) has them. */
const tcpInodes = (pid: number): ReadonlySet<string> =>
  new Set(
    ["tcp", "tcp6"].flatMap((name) => textOf(`/proc/${pid}/net/${name}`).split("\n"))
      .map((line) => line.trim().split(/\s+/)[9] ?? ""),
  )

/**
 * Descriptors that a runtime opens for itself when it first needs them, and keeps: for its event loops, of which each
 * thread has its own, and devices. A pidfd may be a leaked process, and counts.
 */
const isOfRuntime = (link: string): boolean => /^(?:anon_inode:\[(?:event|timer|signal|io_uring)|\/dev\/)/.test(link)

/** The files that a process has opened, but for those of its runtime. */
export const filesOf = (pid: number): OpenFiles => {
  const links = readdirSync(`/proc/${pid}/fd`).map((fd) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`)
    } catch {
      // It was closed meanwhile.
      return ""
    }
  }).filter((link) => link !== "" && !isOfRuntime(link))
  const inodes = tcpInodes(pid)
  return {
    all: links.length,
    sockets: links.filter((link) => inodes.has(/^socket:\[(\d+)\]$/.exec(link)?.[1] ?? "-")).length,
  }
}

/** The watchdog of a leaf (`dieWithParent`) stays as long as its program. */
const isWatchdog = (pid: number): boolean => textOf(`/proc/${pid}/cmdline`).split("\0").includes("sluice-watchdog")

/** Processes that one has started, and those that these started, by a variable of their environment; no watchdogs. */
export const descendantsOf = (pid: number, variable: string): ReadonlyArray<number> =>
  processes().filter((other) =>
    other !== pid &&
    (parentOf(other) === pid || textOf(`/proc/${other}/environ`).split("\0").includes(variable)) &&
    !isWatchdog(other)
  )

/** A process with pipes; it is killed with the scope. */
export const started = (program: string, args: ReadonlyArray<string>, env: Readonly<Record<string, string>>) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const child = spawn(program, args, { env: { ...process.env, ...env }, stdio: ["pipe", "pipe", "pipe"] })
      child.stdin.on("error", () => {})
      return child
    }),
    (child) => Effect.sync(() => child.exitCode === null && child.signalCode === null && child.kill("SIGKILL")),
  )

/** Calls with each line that a process writes. */
export const linesOf = (child: ChildProcess, from: "stdout" | "stderr", line: (text: string) => void): void => {
  let rest = ""
  child[from]?.on("data", (bytes) => {
    const parts = (rest + String(bytes)).split("\n")
    rest = parts.pop() ?? ""
    for (const part of parts) line(part)
  })
}
