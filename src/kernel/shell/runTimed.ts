/** Runs a pipeline for the keyword `time` and prints its elapsed and processor times on stderr. */
import type { Later } from "../System.ts"
import type { Shell } from "./Shell.ts"

const milliseconds = (nanoseconds: bigint): number => Number(nanoseconds / 1_000_000n)

export const formatMinutes = (ms: number, digits = 3): string =>
  `${Math.floor(ms / 60_000)}m${(ms % 60_000 / 1000).toFixed(digits)}s`

/** Formats times by `TIMEFORMAT`: `%[digits][l]R`, `U` and `S`; `%P` is the share of the processor. */
const formatTimes = (format: string, times: Readonly<Record<string, number>>): string =>
  format.replace(/%(?:%|([0-3]?)(l?)([RUS])|P)/g, (all, digits: string, isLong: string, letter: string | undefined) => {
    if (all === "%%") return "%"
    if (letter === undefined) return (100 * (times["U"] ?? 0) / Math.max(1, times["R"] ?? 0)).toFixed(2)
    const ms = times[letter] ?? 0
    const count = Number(digits === "" ? 3 : digits)
    return isLong === "" ? (ms / 1000).toFixed(count) : formatMinutes(ms, count)
  })

/** Runs a pipeline and prints its times; `user` does not include the time of children. */
export const runTimed = async (shell: Shell, posix: boolean, run: () => Later<number>): Promise<number> => {
  const [start, cpu] = [shell.system.monotonic(), shell.system.cpuTime()]
  const status = await run()
  const real = milliseconds(shell.system.monotonic() - start)
  const user = milliseconds(shell.system.cpuTime() - cpu)
  const format = posix ? undefined : shell.variables.get("TIMEFORMAT")
  if (format !== undefined) {
    if (format !== "") await shell.print(`${formatTimes(format, { R: real, U: user, S: 0 })}\n`, 2)
    return status
  }
  const show = (ms: number): string => posix ? (ms / 1000).toFixed(2) : formatMinutes(ms)
  const gap = posix ? " " : "\t"
  await shell.print(`${posix ? "" : "\n"}real${gap}${show(real)}\nuser${gap}${show(user)}\nsys${gap}${show(0)}\n`, 2)
  return status
}
