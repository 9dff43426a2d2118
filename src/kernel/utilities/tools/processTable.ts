/** Describes the processes of the kernel as the utilities of procps name them. */
import { ownerOf } from "../../modes.ts"
import type { ProcessInfo, System } from "../../System.ts"
import { baseName } from "../shared/paths.ts"

const secondNanos = 1_000_000_000n

/** A process with the names and times that `ps`, `pgrep` and `pkill` show. */
export interface TableRow {
  readonly process: ProcessInfo
  /** Name of the program, at most 15 characters, as in /proc/PID/comm. */
  readonly command: string
  /** Its name as `ps` shows it. */
  readonly title: string
  /** The whole command line. */
  readonly commandLine: string
  readonly user: string
  readonly elapsedSeconds: number
  readonly cpuSeconds: number
  /** `R`, `S` or `Z`. */
  readonly state: string
}

const states = { running: "R", waiting: "S", ended: "Z" } as const

/** The name of the program, without the dash of a login shell. */
const commandName = ({ args: [first = "?"] }: ProcessInfo): string => baseName(first).replace(/^-/, "").slice(0, 15)

/** Returns all processes. The caller is running: its own wait for output does not count. */
export const processTable = (system: System): ReadonlyArray<TableRow> => {
  const { user } = ownerOf(system.env)
  const now = system.now()
  return system.processes().map((process): TableRow => {
    const command = commandName(process)
    const isOver = process.state === "ended"
    const age = now - process.started
    return {
      process,
      command,
      title: isOver ? `${command} <defunct>` : command,
      // A newline would make two rows of one process.
      commandLine: isOver ? `[${command}] <defunct>` : process.args.join(" ").replace(/[\n\r\t]/g, " "),
      user,
      elapsedSeconds: Number((age < 0n ? 0n : age) / secondNanos),
      cpuSeconds: Number(process.cpuTime / secondNanos),
      state: process.pid === system.pid ? "R" : states[process.state],
    }
  })
}

const two = (value: number): string => String(Math.floor(value)).padStart(2, "0")

/** Formats seconds as `[DD-]HH:MM:SS`; without hours `MM:SS` if they are not `always` shown. */
export const formatElapsed = (seconds: number, hours: "always" | "needed"): string => {
  const days = Math.floor(seconds / 86_400)
  const hour = Math.floor(seconds / 3_600) % 24
  const rest = `${two(seconds / 60 % 60)}:${two(seconds % 60)}`
  if (days > 0) return `${hours === "always" ? days : two(days)}-${two(hour)}:${rest}`
  return hours === "always" || hour > 0 ? `${two(hour)}:${rest}` : rest
}
