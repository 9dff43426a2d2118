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
  readonly sockets: number
}

/** The open files of a process. */
export const filesOf = (pid: number): OpenFiles => {
  const links = readdirSync(`/proc/${pid}/fd`).map((fd) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`)
    } catch {
      // It was closed meanwhile.
      return undefined
    }
  }).filter((link) => link !== undefined)
  return { all: links.length, sockets: links.filter((link) => link.startsWith("socket:")).length }
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
